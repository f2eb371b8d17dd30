//! The sandbox has play money: it takes neither live accounts with providers nor endpoints of real chains.

use anyhow::{bail, ensure};
use causeway_evm::RpcUrl;
use causeway_onramps::banxa::BanxaEnvironment;
use causeway_onramps::transak::TransakEnvironment;

use super::{Config, Mode};

/// How to go on, whether the mode was forgotten or the setting.
const REMEDY: &str =
    "The mode is the sandbox unless `mode = \"production\"` is set: set it for real money, or remove";

/// Refuses whatever could touch real money from the sandbox, and the other way round.
pub(super) fn check(config: &Config) -> anyhow::Result<()> {
    if config.mode == Mode::Production {
        return Ok(());
    }
    if let Some(section) = live_account(config) {
        bail!("onramps.{section} is a live account, and the sandbox has play money. {REMEDY} that section");
    }
    let service = config.endpoints.iter().flat_map(|own| &own.rpc).map(|rpc| ("endpoints", &rpc.0));
    let attester =
        config.attester.chains.iter().flat_map(|own| &own.rpc).map(|rpc| ("attester.chains", &rpc.0));
    for (section, url) in service.chain(attester) {
        ensure!(
            is_local(url),
            "{section} names {url}, an endpoint of a real chain, and the sandbox has chains of its own. {REMEDY} that section"
        );
    }
    Ok(())
}

/// The first section that is an account with real money. Addresses of stand-ins on this machine are none.
fn live_account(config: &Config) -> Option<&'static str> {
    let ramps = &config.onramps;
    let stands_in = |url: Option<&str>| url.is_some_and(is_local_text);
    if let Some(own) = &ramps.transak
        && own.environment == TransakEnvironment::Production
        && !stands_in(own.api_url.as_deref())
    {
        return Some("transak");
    }
    if let Some(own) = &ramps.moonpay
        && !own.is_sandbox()
        && !stands_in(own.api_url.as_deref())
    {
        return Some("moonpay");
    }
    if let Some(own) = &ramps.coinbase
        && !own.sandbox
        && !stands_in(Some(&own.api_url))
    {
        return Some("coinbase");
    }
    if let Some(own) = &ramps.banxa
        && own.environment == BanxaEnvironment::Production
        && !stands_in(own.api_url.as_deref())
    {
        return Some("banxa");
    }
    None
}

fn is_local(url: &RpcUrl) -> bool {
    is_local_text(url.expose())
}

/// Whether the host is this machine.
fn is_local_text(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boot::config::read;

    const TRANSAK: &str =
        "[onramps.transak]\napi_key = \"a\"\napi_secret = \"b\"\nreferrer_domain = \"c.example\"\n";
    const MOONPAY: &str = "[onramps.moonpay]\npublishable_key = \"pk_live_a\"\nsecret_key = \"sk_live_b\"\n";
    const COINBASE: &str = "[onramps.coinbase]\napi_key_id = \"a\"\napi_key_secret = \"b\"\n";
    const BANXA: &str =
        "[onramps.banxa]\npartner = \"a\"\napi_key = \"b\"\nredirect_url = \"https://c.example\"\n";

    fn refusal(text: &str) -> Option<String> {
        let config: Config = read::parse(text).unwrap();
        check(&config).err().map(|error| error.to_string())
    }

    #[test]
    fn a_configuration_that_forgets_its_mode_names_no_live_account() {
        let live = [
            (format!("{TRANSAK}world = \"production\"\n"), "transak"),
            (MOONPAY.to_owned(), "moonpay"),
            (MOONPAY.replace("pk_live_", "pk_test_"), "moonpay"),
            (COINBASE.to_owned(), "coinbase"),
            (format!("{BANXA}world = \"production\"\n"), "banxa"),
        ];
        for (text, section) in live {
            let words = refusal(&text).unwrap();
            assert!(words.contains(section) && words.contains("mode = \"production\""), "{words}");
            assert_eq!(refusal(&format!("mode = \"production\"\n{text}")), None);
        }
        let play = [
            TRANSAK.to_owned(),
            MOONPAY.replace("_live_", "_test_"),
            format!("{COINBASE}sandbox = true\n"),
            BANXA.to_owned(),
            format!("{COINBASE}api_url = \"http://127.0.0.1:9\"\n"),
        ];
        for text in play {
            assert_eq!(refusal(&text), None, "{text}");
        }
    }

    #[test]
    fn the_sandbox_takes_no_endpoint_of_a_real_chain() {
        for section in ["[[endpoints]]\nchain", "[[attester.chains]]\nid"] {
            let text = |url: &str| format!("{section} = 1\nrpc = [\"{url}\"]\n");
            let words = refusal(&text("https://one.example/hunter2")).unwrap();
            assert!(words.contains("one.example") && !words.contains("hunter2"), "{words}");
            assert!(refusal(&text("http://127.0.0.1.example/")).is_some());
            assert!(refusal(&text("http://user:localhost@one.example/")).is_some());
            for own in ["http://127.0.0.1:8545/1", "http://localhost:1", "http://[::1]:8545"] {
                assert_eq!(refusal(&text(own)), None, "{own}");
            }
        }
    }
}
