//! Times the drawing of an ERC-20 payment, from the amount to the finished image.
#![allow(clippy::print_stdout, reason = "the number is what this program is for")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use causeway_qr::payload::{Transfer, transfer};
use causeway_qr::{Error, Style, svg};

const ROUNDS: u32 = 2000;

fn main() -> Result<(), Error> {
    let payment = Transfer {
        amount: "1.23",
        recipient: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
        caip2: "eip155:1",
        token: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        decimals: 6,
    };
    let style = Style::default();
    let mut times = Vec::new();
    for _ in 0..50 {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            black_box(svg(&transfer(black_box(&payment))?, &style)?);
        }
        times.push(start.elapsed() / ROUNDS);
    }
    times.sort();
    let at = |index: usize| times.get(index).copied().unwrap_or(Duration::ZERO);
    let bytes = svg(&transfer(&payment)?, &style)?.len();
    println!("{bytes} bytes; best {:?}, median {:?}", at(0), at(times.len() / 2));
    Ok(())
}
