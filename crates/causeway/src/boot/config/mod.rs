//! The configuration: one struct per concern, each with its defaults; unknown keys are refused.

mod attester;
mod breakers;
mod checked_address;
mod claims;
mod contracts;
mod database;
mod endpoints;
mod faults;
mod fiat;
mod fillers;
mod liquidity;
mod log;
mod market_makers;
mod onramps;
mod orders;
mod overrides;
mod play_money;
mod prices;
mod quotes;
mod rate_limit;
mod read;
mod relayer;
mod retention;
mod sandbox;
mod screening;
mod secret;
mod server;
mod signers;
mod spending;
mod traces;
mod web_address;
mod webhooks;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use causeway_catalog::{ChainOverride, TokenListConfig};
use serde::{Deserialize, Serialize};

pub(crate) use attester::AttesterConfig;
pub(crate) use breakers::BreakersConfig;
pub(crate) use claims::ClaimsConfig;
pub(crate) use contracts::ContractsConfig;
pub(crate) use database::DatabaseConfig;
pub(crate) use endpoints::EndpointsConfig;
use faults::Faults;
pub(crate) use fiat::FiatConfig;
pub(crate) use fillers::FillerConfig;
pub(crate) use liquidity::LiquidityConfig;
pub(crate) use log::{LogConfig, LogFormat};
pub(crate) use market_makers::MarketMakerConfig;
pub(crate) use onramps::OnrampsConfig;
pub(crate) use orders::OrdersConfig;
pub(crate) use overrides::Overrides;
pub(crate) use prices::PricesConfig;
pub(crate) use quotes::QuotesConfig;
pub(crate) use relayer::RelayerConfig;
pub(crate) use retention::RetentionConfig;
pub(crate) use sandbox::SandboxConfig;
pub(crate) use screening::ScreeningConfig;
pub(crate) use secret::Secret;
pub(crate) use server::{OperatorTokenConfig, RoleName, ServerConfig};
pub(crate) use signers::{SignerConfig, SignerKind};
pub(crate) use spending::{SpendingLimitConfig, limits as spending_limits};
pub(crate) use traces::TracesConfig;
pub(crate) use webhooks::WebhookConfig;

const DEFAULT_FILE: &str = "causeway.toml";

/// Sandbox with play money, or production.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    #[default]
    Sandbox,
    Production,
}

impl Mode {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Production => "production",
        }
    }
}

/// The whole configuration.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    pub(crate) mode: Mode,
    pub(crate) data_dir: PathBuf,
    pub(crate) server: ServerConfig,
    pub(crate) database: DatabaseConfig,
    pub(crate) retention: RetentionConfig,
    pub(crate) log: LogConfig,
    pub(crate) traces: TracesConfig,
    pub(crate) prices: PricesConfig,
    pub(crate) quotes: QuotesConfig,
    pub(crate) orders: OrdersConfig,
    pub(crate) breakers: BreakersConfig,
    pub(crate) claims: ClaimsConfig,
    pub(crate) fiat: FiatConfig,
    pub(crate) onramps: OnrampsConfig,
    pub(crate) liquidity: LiquidityConfig,
    pub(crate) screening: ScreeningConfig,
    pub(crate) tokens: TokensConfig,
    pub(crate) contracts: ContractsConfig,
    pub(crate) relayer: RelayerConfig,
    pub(crate) attester: AttesterConfig,
    pub(crate) sandbox: SandboxConfig,
    /// Webhook endpoints for order events.
    pub(crate) webhooks: Vec<WebhookConfig>,
    /// Keys that live elsewhere than in plain files.
    pub(crate) signers: Vec<SignerConfig>,
    /// What every key may spend within an hour, by chain.
    pub(crate) spending_limits: Vec<SpendingLimitConfig>,
    /// Our own market makers.
    pub(crate) market_makers: Vec<MarketMakerConfig>,
    /// Remote fillers.
    pub(crate) fillers: Vec<FillerConfig>,
    /// RPC endpoints that replace the public ones.
    pub(crate) endpoints: Vec<EndpointsConfig>,
    /// Chains to add, change or disable, by id.
    pub(crate) chains: Vec<ChainOverride>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            data_dir: PathBuf::from("data"),
            server: ServerConfig::default(),
            database: DatabaseConfig::default(),
            retention: RetentionConfig::default(),
            log: LogConfig::default(),
            traces: TracesConfig::default(),
            prices: PricesConfig::default(),
            quotes: QuotesConfig::default(),
            orders: OrdersConfig::default(),
            breakers: BreakersConfig::default(),
            claims: ClaimsConfig::default(),
            fiat: FiatConfig::default(),
            onramps: OnrampsConfig::default(),
            liquidity: LiquidityConfig::default(),
            screening: ScreeningConfig::default(),
            tokens: TokensConfig::default(),
            contracts: ContractsConfig::default(),
            relayer: RelayerConfig::default(),
            attester: AttesterConfig::default(),
            sandbox: SandboxConfig::default(),
            webhooks: Vec::new(),
            signers: Vec::new(),
            spending_limits: Vec::new(),
            market_makers: Vec::new(),
            fillers: Vec::new(),
            endpoints: Vec::new(),
            chains: Vec::new(),
        }
    }
}

/// Token lists in addition to the bundled catalog.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TokensConfig {
    pub(crate) lists: Vec<TokenListConfig>,
}

impl Config {
    /// Defaults, then the file, then the environment, then the flags.
    pub(crate) fn load(overrides: &Overrides) -> anyhow::Result<Self> {
        let default_file = Path::new(DEFAULT_FILE);
        let file = overrides.file.as_deref().or(default_file.is_file().then_some(default_file));
        let Some(file) = file else {
            let mut config = Self::default();
            config.override_with(overrides);
            config.check()?;
            return Ok(config);
        };
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        Self::from_text(&text, |config| config.override_with(overrides))
            .with_context(|| format!("{} is not a valid configuration", file.display()))
    }

    /// Tells all faults of a file at once, each with its line.
    pub(crate) fn from_text(text: &str, change: impl FnOnce(&mut Self)) -> anyhow::Result<Self> {
        let read::Parsed { value, faults: unreadable, sections } = read::parse_all::<Self>(text);
        let mut faults = Faults::default();
        for words in unreadable {
            faults.add(words);
        }
        let Some(mut config) = value else {
            faults.end()?;
            bail!("it cannot be read");
        };
        change(&mut config);
        let mut checked = Faults::default();
        checked.check(config.check());
        for words in checked.into_words() {
            // What was left out because it cannot be read would be told again, as missing.
            if read::names_one_of(&words, &sections) {
                continue;
            }
            faults.add(match read::line_of(text, &words) {
                Some(line) => format!("line {line}: {words}"),
                None => words,
            });
        }
        faults.end()?;
        Ok(config)
    }

    /// The environment, then the flags.
    fn override_with(&mut self, overrides: &Overrides) {
        let config = self;
        if let Ok(url) = std::env::var("CAUSEWAY_DATABASE_URL") {
            config.database.url = Some(Secret::new(url));
        }
        if let Ok(token) = std::env::var("CAUSEWAY_OPERATOR_TOKEN") {
            config.server.operator_token = Some(Secret::new(token));
        }
        config.prices.read_environment();
        config.liquidity.read_environment();
        if let Ok(filter) = std::env::var("CAUSEWAY_LOG") {
            config.log.filter = filter;
        }
        if let Some(listen) = overrides.listen {
            config.server.listen = listen;
        }
        if let Some(folder) = &overrides.data_dir {
            config.data_dir.clone_from(folder);
        }
        if let Some(url) = &overrides.sandbox_rpc {
            config.sandbox.rpc = Some(url.clone());
        }
        config.sandbox.fresh |= overrides.fresh;
    }

    /// Checks what the types cannot express.
    fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        let remote = self.fillers.iter().map(|filler| filler.name.as_str());
        for checked in [
            self.server.check(),
            self.retention.check(),
            self.log.check(),
            self.traces.check(),
            self.contracts.check(self.mode),
            self.sandbox.check(),
            self.attester.check(),
            self.quotes.check(),
            self.orders.check(self.mode),
            self.breakers.limits(self.mode).map(drop),
            self.claims.check(self.mode),
            self.fiat.check(),
            fillers::check(&self.fillers),
            signers::check(self),
            spending::check(&self.spending_limits),
            market_makers::check(&self.market_makers, remote),
            endpoints::check(&self.endpoints),
            play_money::check(self),
            self.screening.check(),
            webhooks::check(&self.webhooks),
            self.prices.check(self.mode),
        ] {
            faults.check(checked);
        }
        faults.end()
    }

    /// The configuration as TOML that could be read back, except for redacted secrets.
    pub(crate) fn to_toml(&self) -> anyhow::Result<String> {
        Ok(toml::to_string(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_file_the_sandbox_starts_on_loopback() {
        let config = Config::load(&Overrides::default()).unwrap();
        assert_eq!(config.mode, Mode::Sandbox);
        assert_eq!(config.server.listen.to_string(), "127.0.0.1:8080");
    }

    #[test]
    fn flags_win_over_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("causeway.toml");
        std::fs::write(&file, "data_dir = \"a\"\n[server]\nlisten = \"127.0.0.1:1\"\n").unwrap();
        let from_file =
            Config::load(&Overrides { file: Some(file.clone()), ..Overrides::default() }).unwrap();
        assert_eq!(from_file.data_dir, Path::new("a"));
        let flags = Overrides {
            file: Some(file),
            listen: Some("127.0.0.1:2".parse().unwrap()),
            data_dir: Some("b".into()),
            ..Overrides::default()
        };
        let from_flags = Config::load(&flags).unwrap();
        assert_eq!((from_flags.server.listen.port(), from_flags.data_dir), (2, "b".into()));
    }

    #[test]
    fn the_printed_configuration_reads_back() {
        let config = Config::default();
        let text = config.to_toml().unwrap();
        assert_eq!(read::parse::<Config>(&text).unwrap().to_toml().unwrap(), text);
    }

    #[test]
    fn secrets_are_redacted_wherever_the_configuration_is_shown() {
        let text = "[database]\nurl = \"postgres://causeway:hunter2@db.internal/causeway\"\n";
        let config: Config = read::parse(text).unwrap();
        for shown in [config.to_toml().unwrap(), format!("{config:?}")] {
            assert!(!shown.contains("hunter2"), "{shown}");
            assert!(shown.contains("db.internal"), "{shown}");
        }
    }

    #[test]
    fn urls_that_may_contain_a_key_show_only_the_host() {
        let text = "[screening]\nhook_url = \"https://screen.example/ask?key=hunter2\"\n\
             [prices.pyth]\nurl = \"https://pyth.example/hunter2\"\n\
             [prices.coingecko]\nurl = \"https://gecko.example/hunter2\"\n\
             [[webhooks]]\nname = \"shop\"\nurl = \"https://shop.example/hunter2\"\nsecret = \"a-secret-less-secret\"\n\
             [[fillers]]\nname = \"far\"\nkind = \"remote\"\nurl = \"https://far.example/hunter2\"\n";
        let config: Config = read::parse(text).unwrap();
        for shown in [config.to_toml().unwrap(), format!("{config:?}")] {
            assert!(!shown.contains("hunter2"), "{shown}");
            for host in ["screen", "pyth", "gecko", "shop", "far"] {
                assert!(shown.contains(&format!("https://{host}.example")), "{shown}");
            }
        }
        assert_eq!(config.fillers[0].record().unwrap().url, "https://far.example/hunter2");
    }

    #[test]
    fn ten_mistakes_are_ten_faults_each_with_its_line() {
        let text = "mode = \"production\"\n\
                    [server]\n\
                    lissten = \"127.0.0.1:80\"\n\
                    [retention]\naudit_days = 0\nsweep_minutes = 0\n\
                    [log]\nfilter = \"a=b=c\"\n\
                    [contracts]\nattesters = [\"0x1111111111111111111111111111111111111111\"]\nthreshold = 1\n\
                    [orders]\ngrace_seconds = 60\nfill_window_seconds = \"long\"\n\
                    [quotes]\ndeadline_ms = 90000\n\
                    [[endpoints]]\nchain = 8453\nrpc = []\n\
                    [[webhooks]]\nname = \"Shop\"\nurl = \"https://shop.example\"\nsecret = \"0123456789abcdef\"\n\
                    [prices.median]\nmax_spread_bps = 10001\n";
        // The grace stands in a section that could not be read, so it is told once the window is right.
        let told = |text: &str| {
            let error = Config::from_text(text, |_| ()).unwrap_err();
            error.downcast::<Faults>().unwrap().into_words()
        };
        let lines = |faults: &[String]| {
            let line = |words: &String| {
                let number = words.strip_prefix("line ").unwrap().split([':', ',']).next().unwrap();
                number.parse::<usize>().unwrap()
            };
            let mut lines: Vec<usize> = faults.iter().map(line).collect();
            lines.sort_unstable();
            lines
        };
        let faults = told(text);
        assert_eq!(lines(&faults), [3, 5, 6, 8, 11, 14, 16, 17, 20, 25], "{faults:#?}");
        let shown = format!("{:#}", Config::from_text(text, |_| ()).unwrap_err());
        assert!(shown.starts_with("10 faults:\n"), "{shown}");
        let faults = told(&text.replace("\"long\"", "600"));
        assert_eq!(lines(&faults), [3, 5, 6, 8, 11, 13, 16, 17, 20, 25], "{faults:#?}");
    }

    #[test]
    fn missing_configuration_file_is_an_error() {
        let error = Config::load(&Overrides { file: Some("no/such.toml".into()), ..Overrides::default() })
            .unwrap_err();
        assert!(error.to_string().contains("no/such.toml"));
    }
}
