use std::path::{Path, PathBuf};

use causeway_domain::{Address, ChainId};
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

    /// On Solana, draw a Solana Pay request with the amount instead of the address alone; not every wallet reads it
    #[arg(long, requires = "to")]
    solana_pay: bool,

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

/// What a code holds, and what a person should know of it.
struct Content {
    payload: String,
    /// One sentence on what the code holds.
    says: String,
    /// What the code does not say.
    warning: Option<String>,
    solana_pay: Option<String>,
}

/// Draws a QR code in the terminal or to a file. Plain text needs no service.
pub(crate) async fn qr(session: Session, args: &QrArgs) -> Result<(), Failure> {
    let text = args.words.join(" ");
    let content = match &args.to {
        Some(recipient) => payment(&session, args, recipient).await?,
        None => Content {
            payload: payload::generic(Some(&text))?.to_owned(),
            says: "The code holds this text.".to_owned(),
            warning: None,
            solana_pay: None,
        },
    };
    let style = Style { size: args.size, ..Style::default() };
    if let Some(warning) = &content.warning {
        output::notice(&format!("warning: {warning}"));
    }
    let payload = &content.payload;
    if let Some(file) = &args.out {
        write(file, payload, style)?;
        output::notice(&format!("wrote {}. {}", file.display(), content.says));
    }
    if session.args.json {
        let image = svg(payload, &style)?;
        return output::print_json(&json!({
            "payload": payload, "holds": content.says, "warning": content.warning,
            "solanaPay": content.solana_pay, "svg": image,
        }));
    }
    if args.out.is_some() {
        return Ok(());
    }
    let drawn = draw::blocks(&modules(payload)?, draw::RenderMode::for_stdout(args.invert));
    match args.to {
        Some(_) => output::print_drawing(&drawn, &format!("{payload}\n{}", content.says)),
        None => output::print_drawing(&drawn, payload),
    }
}

async fn payment(session: &Session, args: &QrArgs, recipient: &str) -> Result<Content, Failure> {
    let (amount, place) = parse_amount_and_token(&args.words).map_err(Failure::Usage)?;
    let directory = session.directory().await?;
    let chain = directory.chain(&place.chain)?;
    let token = directory.token(&session.client, &place).await?;
    check_recipient(&chain.caip2, &chain.name, recipient)?;
    // The service draws such a code without the amount; here the amount was typed to be in it.
    payload::base_units(&amount, token.decimals)?;
    let transfer = Transfer {
        amount: &amount,
        recipient,
        caip2: &chain.caip2,
        token: &token.address,
        decimals: token.decimals,
    };
    let solana_pay = payload::solana_pay(&transfer);
    let sum = format!("{amount} {} on {}", token.symbol, chain.name);
    if let (true, Some(uri)) = (args.solana_pay, &solana_pay) {
        let says = format!("The code holds a Solana Pay request of {sum}.");
        return Ok(Content { payload: uri.clone(), says, warning: None, solana_pay });
    }
    if args.solana_pay {
        return Err(Failure::usage("--solana-pay is for payments on Solana"));
    }
    let payload = payload::transfer(&transfer)?;
    if payload != recipient {
        let says = format!("The code holds a payment of {sum}.");
        return Ok(Content { payload, says, warning: None, solana_pay });
    }
    let other = solana_pay.as_ref().map_or_else(String::new, |uri| {
        format!("; wallets that read Solana Pay take {uri}, which --solana-pay draws")
    });
    Ok(Content {
        payload,
        says: "The code holds the recipient's address only.".to_owned(),
        warning: Some(format!("the amount is not in the code: the payer has to enter {sum}{other}")),
        solana_pay,
    })
}

/// Refuses a recipient that is no address of the chain: a code would hold it all the same.
fn check_recipient(caip2: &str, chain: &str, recipient: &str) -> Result<(), Failure> {
    let Ok(id) = ChainId::from_caip2(caip2) else { return Ok(()) };
    Address::parse(id.family(), recipient)
        .map(drop)
        .map_err(|error| Failure::Usage(format!("{recipient} is no recipient on {chain}: {error}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipient_that_is_none_of_the_chain_is_refused() {
        let evm = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        let solana = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";
        assert!(check_recipient("eip155:8453", "Base", evm).is_ok());
        assert!(check_recipient("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "Solana", solana).is_ok());
        for (caip2, recipient) in [
            ("eip155:8453", solana),
            ("eip155:8453", "vitalik.eth"),
            ("eip155:8453", "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
            ("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", evm),
        ] {
            assert!(check_recipient(caip2, "there", recipient).is_err(), "{recipient}");
        }
    }
}
