use std::path::{Path, PathBuf};

use causeway_qr::payload::{self, Transfer};
use causeway_qr::{Style, modules, svg};
use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::parse::parse_amount_and_token;
use super::{ServiceArgs, Session, draw, output};

#[derive(Clone, Debug, Args)]
pub(crate) struct QrArgs {
    /// Any text; or with --to a payment, such as `25 USDC@base`
    #[arg(value_name = "TEXT", required = true)]
    words: Vec<String>,

    /// Make it a payment to this address, which wallets understand
    #[arg(long, value_name = "ADDRESS")]
    to: Option<String>,

    /// Write the code to this file, as SVG or PNG by its ending, instead of the terminal
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Width and height of the file in pixels; a PNG may be smaller, so that every module is the same whole number of them
    #[arg(long, value_name = "PIXELS", default_value_t = 512, value_parser = clap::value_parser!(u16).range(96..=4096))]
    size: u16,

    /// For a terminal with dark letters on a light background, where the code is not drawn in colours
    #[arg(long)]
    invert: bool,

    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

/// Draws a QR code in the terminal or to a file. Plain text needs no service.
pub(crate) async fn qr(session: Session, args: &QrArgs) -> Result<(), Failure> {
    let text = args.words.join(" ");
    let payload = match &args.to {
        Some(recipient) => payment(&session, &args.words, recipient).await?,
        None => payload::generic(Some(&text))?.to_owned(),
    };
    let style = Style { size: args.size, ..Style::default() };
    if let Some(file) = &args.out {
        write(file, &payload, style)?;
        output::notice(&format!("wrote {}", file.display()));
    }
    if session.args.json {
        let image = svg(&payload, &style)?;
        return output::print_json(&json!({ "payload": payload, "svg": image }));
    }
    if args.out.is_some() {
        return Ok(());
    }
    let drawn = draw::blocks(&modules(&payload)?, draw::RenderMode::for_stdout(args.invert));
    output::print(&format!("{drawn}\n{payload}"))
}

async fn payment(session: &Session, words: &[String], recipient: &str) -> Result<String, Failure> {
    let (amount, place) = parse_amount_and_token(words).map_err(Failure::Usage)?;
    let directory = session.directory().await?;
    let chain = directory.chain(&place.chain)?;
    let token = directory.token(&session.client, &place).await?;
    let transfer = Transfer {
        amount: &amount,
        recipient,
        caip2: &chain.caip2,
        token: &token.address,
        decimals: token.decimals,
    };
    Ok(payload::transfer(&transfer)?)
}

fn write(file: &Path, payload: &str, style: Style) -> Result<(), Failure> {
    let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let bytes = match ending.as_deref() {
        Some("svg") => svg(payload, &style)?.into_bytes(),
        Some("png") => draw::png(&modules(payload)?, style)?,
        _ => return Err(Failure::usage("a code is written as SVG or PNG: let the file end in .svg or .png")),
    };
    std::fs::write(file, bytes)
        .map_err(|error| Failure::Local(format!("cannot write {}: {error}", file.display())))
}
