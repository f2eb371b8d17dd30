use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use causeway_benchmarks::{cpu_time, resident_kb};
use futures::future::join_all;
use futures::{StreamExt as _, stream};

use crate::orders::Scale;
use crate::orders::chains::{CHAINS, Chains, Wallet};
use crate::orders::process::Process;
use crate::orders::proxy::{Calls, Proxy};
use crate::orders::service::{Service, SwapParams};

/// Orders that are filled while the others stay open.
const FILLED_ORDERS: usize = 10;

/// Orders that are created concurrently.
const CONCURRENCY: usize = 32;

/// Wait before each measurement.
const SETTLE_TIME: Duration = Duration::from_secs(5);

/// The measurements for one number of open orders.
struct Row {
    open: usize,
    idle: Calls,
    /// Share of one CPU core in the idle window.
    cpu_share: f64,
    /// In kilobytes.
    memory: u64,
    moving: Calls,
    filled: usize,
}

/// Measures chain calls and memory of the service with a growing number of open orders.
pub(crate) struct OpenOrders<'a> {
    pub(crate) process: &'a Process,
    pub(crate) service: &'a Service,
    pub(crate) chains: &'a Chains,
    pub(crate) proxy: &'a Proxy,
    pub(crate) scale: &'a Scale,
}

impl OpenOrders<'_> {
    pub(crate) async fn measure(&self) {
        let mut others = self.chains.wallets("other", CHAINS.len()).await;
        let mut payers = self.chains.wallets("payer", FILLED_ORDERS).await;
        tokio::time::sleep(self.scale.warm_up).await;
        let (mut rows, mut made) = (Vec::new(), 0);
        for (number, open) in std::iter::once(0).chain(self.scale.open.iter().copied()).enumerate() {
            let payers_now = &payers;
            stream::iter(made..open)
                .for_each_concurrent(CONCURRENCY, |number| {
                    self.service.create_open_order(number, &payers_now[number % FILLED_ORDERS])
                })
                .await;
            made = open;
            eprintln!(
                "{open} orders are open; the next windows take {:.0?}",
                SETTLE_TIME + self.scale.window * 2
            );
            rows.push(self.measure_one(open, number, &mut others, &mut payers).await);
        }
        self.print(&rows);
    }

    /// Measures one window with only new blocks, and one in which some orders are filled.
    async fn measure_one(
        &self,
        open: usize,
        round: usize,
        others: &mut [Wallet],
        payers: &mut [Wallet],
    ) -> Row {
        self.chains.keep_active(others).await;
        tokio::time::sleep(SETTLE_TIME).await;
        let process = self.process.id().to_string();
        let spent = cpu_time(&process);
        self.proxy.take();
        tokio::time::sleep(self.scale.window).await;
        let idle = self.proxy.take();
        let cpu_share =
            (cpu_time(&process).saturating_sub(spent)).as_secs_f64() / self.scale.window.as_secs_f64();
        let memory = resident_kb(self.process.id());

        self.chains.keep_active(others).await;
        let started = Instant::now();
        self.proxy.take();
        let swaps = payers.iter_mut().map(|wallet| async move {
            let params = SwapParams::for_wallet(wallet, round);
            self.service.swap(self.chains, wallet, &params).await
        });
        let filled = join_all(swaps).await.into_iter().flatten().count();
        // Claims happen after the fills.
        tokio::time::sleep(self.scale.window.saturating_sub(started.elapsed())).await;
        let moving = self.proxy.take();
        let longer = started.elapsed().as_secs_f64() / self.scale.window.as_secs_f64();
        if longer > 1.1 {
            println!("With {open} open, filling {FILLED_ORDERS} more took {longer:.1} times the window.\n");
        }
        Row { open, idle, cpu_share, memory, moving, filled }
    }

    fn print(&self, rows: &[Row]) {
        let seconds = self.scale.window.as_secs();
        println!(
            "| open orders | read calls in {seconds} s | for each order | of the first | while {FILLED_ORDERS} more are filled | for each order | of the first | one core | memory | more than with none |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        let per = |calls: &Calls, orders: usize| calls.values().sum::<u64>() as f64 / orders as f64;
        let none = rows.first().map_or(0, |row| row.memory);
        let first = rows.get(1);
        for row in rows {
            let Row { open, idle, cpu_share, memory, moving, filled } = row;
            let each = |calls: fn(&Row) -> (&Calls, usize)| {
                let of = |row: &Row| {
                    let (calls, orders) = calls(row);
                    per(calls, orders)
                };
                let ratio = first.map_or(f64::NAN, |first| of(row) / of(first));
                if *open == 0 { "| |".to_owned() } else { format!("{:.4} | {ratio:.4} |", of(row)) }
            };
            println!(
                "| {open} | {} | {} {} ({filled} filled) | {} {:.1} % | {:.1} MB | {:.1} MB |",
                idle.values().sum::<u64>(),
                each(|row| (&row.idle, row.open)),
                moving.values().sum::<u64>(),
                each(|row| (&row.moving, row.open + FILLED_ORDERS)),
                cpu_share * 100.0,
                *memory as f64 / 1024.0,
                memory.saturating_sub(none) as f64 / 1024.0,
            );
        }
        print_methods(rows);
    }
}

/// Prints the calls of the idle windows by method.
fn print_methods(rows: &[Row]) {
    let methods: BTreeSet<&String> = rows.iter().flat_map(|row| row.idle.keys()).collect();
    let cells = |cell: &dyn Fn(&Row) -> String| rows.iter().map(cell).collect::<Vec<_>>().join(" | ");
    println!("\n| read calls, with open orders | {} |", cells(&|row| row.open.to_string()));
    println!("|---|{}", "---|".repeat(rows.len()));
    for method in methods {
        println!("| `{method}` | {} |", cells(&|row| row.idle.get(method).copied().unwrap_or(0).to_string()));
    }
}
