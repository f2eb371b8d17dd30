use causeway_domain::{ChainId, Token, TokenId};

use super::MAX_DECIMALS;
use crate::CatalogError;

const HEADER: &str = "chain_id\taddress\tsymbol\tname\tdecimals";

/// Parses the bundled tokens, one per line, without the native coins, which belong to their chains.
pub(crate) fn parse(text: &str) -> Result<Vec<Token>, CatalogError> {
    let mut lines = text.lines().zip(1..);
    if lines.next().map(|(header, _)| header) != Some(HEADER) {
        return Err(invalid(1, "the header is not the expected one"));
    }
    lines.map(|(line, number)| parse_line(line).map_err(|reason| invalid(number, reason))).collect()
}

fn invalid(line: u32, reason: impl std::fmt::Display) -> CatalogError {
    CatalogError::Bundled { file: "tokens.tsv", reason: format!("line {line}: {reason}") }
}

fn parse_line(line: &str) -> Result<Token, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [chain, address, symbol, name, decimals] = fields[..] else {
        return Err("five fields are expected".to_owned());
    };
    let chain = chain.parse().ok().and_then(ChainId::new).ok_or("the chain id is not one")?;
    let id = TokenId::of_any_case(chain, address).map_err(|error| error.to_string())?;
    let decimals: u8 = decimals.parse().map_err(|_| "the decimals are not a number")?;
    if id.is_native() || symbol.is_empty() || name.is_empty() || decimals > MAX_DECIMALS {
        return Err("a native coin, an empty symbol or name, or too many decimals".to_owned());
    }
    Ok(Token { id, symbol: symbol.to_owned(), name: name.to_owned(), decimals, logo: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const USDC: &str = "1\t0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\tUSDC\tUSD Coin\t6";

    #[test]
    fn a_line_is_a_token() {
        let tokens = parse(&format!("{HEADER}\n{USDC}\n")).unwrap();
        assert_eq!((tokens[0].symbol.as_str(), tokens[0].decimals), ("USDC", 6));
    }

    #[test]
    fn an_invalid_line_is_rejected_with_its_number() {
        let zero = format!("0x{}", "0".repeat(40));
        for bad in [
            "1\tx\tA\tA\t1",
            "1\t2",
            "0\tx\tA\tA\t1",
            &USDC.replace("\t6", "\t37"),
            &format!("1\t{zero}\tETH\tE\t18"),
        ] {
            let error = parse(&format!("{HEADER}\n{USDC}\n{bad}\n")).unwrap_err();
            assert!(error.to_string().contains("line 3"), "{bad}: {error}");
        }
        assert!(parse("symbol\n").is_err());
    }
}
