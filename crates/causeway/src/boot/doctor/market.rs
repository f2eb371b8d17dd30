use super::{Finding, words};
use crate::boot::config::{Config, Mode};
use crate::boot::parts::market_makers::{MarketMakerSpec, load_market_makers};

const AREA: &str = "fillers";

/// Whether somebody quotes: a market maker that can trade, a remote filler or a liquidity provider.
pub(super) fn examine(config: &Config) -> (Vec<MarketMakerSpec>, Vec<Finding>) {
    if config.mode == Mode::Sandbox {
        return (Vec::new(), Vec::new());
    }
    let makers = match load_market_makers(config) {
        Ok(makers) => makers,
        Err(error) => {
            return (Vec::new(), vec![Finding::new(AREA, "market_makers", Err(words(&error)))]);
        }
    };
    let others = config.fillers.len().saturating_add(config.liquidity.count());
    let outcome = if makers.is_empty() && others == 0 {
        Err("nobody quotes: configure [[market_makers]], [[fillers]] or a section of [liquidity], or add a filler with \
             `causeway filler add` once the service runs"
            .to_owned())
    } else {
        Ok(format!("{} market makers and {others} others quote", makers.len()))
    };
    let finding = Finding::new(AREA, "all", outcome);
    (makers, vec![finding])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_without_anybody_who_quotes_is_told_so() {
        let config = Config { mode: Mode::Production, ..Config::default() };
        let (_, findings) = examine(&config);
        assert!(!findings[0].ok && findings[0].message.contains("nobody quotes"), "{findings:?}");
        let market_makers = vec![toml::from_str("name = \"bare\"").unwrap()];
        let (_, findings) = examine(&Config { market_makers, ..config });
        assert!(
            !findings[0].ok && findings[0].message.contains("CAUSEWAY_MARKET_MAKER_BARE_KEY"),
            "{findings:?}"
        );
    }
}
