use anyhow::{Context as _, bail, ensure};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use crate::boot::config::TracesConfig;

/// Where spans go, and how.
#[derive(Debug)]
pub(crate) struct TraceSettings {
    pub(super) url: Url,
    pub(super) service_name: String,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) sample_ratio: f64,
}

impl TraceSettings {
    /// The configuration with OpenTelemetry's own variables, which win; `None` where no address is given.
    pub(crate) fn of(
        config: &TracesConfig,
        variable: impl Fn(&str) -> Option<String>,
    ) -> anyhow::Result<Option<Self>> {
        let variable = |name: &str| variable(name).filter(|text| !text.trim().is_empty());
        if variable("OTEL_SDK_DISABLED").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let base = variable("OTEL_EXPORTER_OTLP_ENDPOINT");
        let base = base.or_else(|| config.endpoint.as_ref().map(|url| url.expose().to_owned()));
        let whole = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let Some(url) =
            whole.or_else(|| base.map(|base| format!("{}/v1/traces", base.trim_end_matches('/'))))
        else {
            return Ok(None);
        };
        for name in ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] {
            if variable(name).is_some_and(|protocol| protocol == "grpc") {
                bail!(
                    "{name}: traces are sent over HTTP as JSON; give the collector's HTTP address, and no protocol"
                );
            }
        }
        let url: Url = url.parse().context("the address of the collector of traces is not a URL")?;
        ensure!(
            ["http", "https"].contains(&url.scheme()),
            "the address of the collector of traces must start with http:// or https://"
        );
        let mut headers = Vec::new();
        for (name, value) in &config.headers {
            headers.push(header(name, value.reveal())?);
        }
        for name in ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"] {
            for pair in variable(name).unwrap_or_default().split(',').filter(|pair| !pair.trim().is_empty()) {
                let (key, value) =
                    pair.split_once('=').with_context(|| format!("{name}: write KEY=VALUE,…"))?;
                headers.push(header(key.trim(), value.trim()).context(name.to_owned())?);
            }
        }
        let sample_ratio = match variable("OTEL_TRACES_SAMPLER_ARG") {
            Some(text) => text.parse().context("OTEL_TRACES_SAMPLER_ARG is a number from 0 to 1")?,
            None => config.sample_ratio,
        };
        ensure!((0.0..=1.0).contains(&sample_ratio), "the share of traces is a number from 0 to 1");
        let service_name = variable("OTEL_SERVICE_NAME").unwrap_or_else(|| config.service_name.clone());
        Ok(Some(Self { url, service_name, headers, sample_ratio }))
    }
}

/// The value is a secret: no error shows it.
fn header(name: &str, value: &str) -> anyhow::Result<(HeaderName, HeaderValue)> {
    let key = name.parse().ok().with_context(|| format!("`{name}` is no name of a header"))?;
    let value = HeaderValue::from_str(value).ok();
    let mut value = value.with_context(|| format!("`{name}` has no value for a header"))?;
    value.set_sensitive(true);
    Ok((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(config: &str, variables: &[(&str, &str)]) -> anyhow::Result<Option<TraceSettings>> {
        let config: TracesConfig = toml::from_str(config).unwrap();
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
        TraceSettings::of(&config, |name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn nothing_is_sent_without_an_address() {
        assert!(settings("", &[]).unwrap().is_none());
        let disabled =
            [("OTEL_SDK_DISABLED", "true"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.example:4318")];
        assert!(settings("", &disabled).unwrap().is_none());
    }

    #[test]
    fn variables_win_over_the_configuration() {
        let file = "endpoint = \"http://file.example:4318\"\nservice_name = \"swap\"\nsample_ratio = 0.5\n\
                    headers = { authorization = \"Bearer hunter2\" }\n";
        let of_file = settings(file, &[]).unwrap().unwrap();
        assert_eq!(of_file.url.as_str(), "http://file.example:4318/v1/traces");
        assert_eq!((of_file.service_name.as_str(), of_file.headers.len()), ("swap", 1));
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://env.example/base/"),
            ("OTEL_SERVICE_NAME", "other"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a, x-other=b"),
            ("OTEL_TRACES_SAMPLER_ARG", "0.25"),
        ];
        let of_variables = settings(file, &variables).unwrap().unwrap();
        assert_eq!(of_variables.url.as_str(), "https://env.example/base/v1/traces");
        assert_eq!((of_variables.service_name.as_str(), of_variables.headers.len()), ("other", 3));
        assert!((0.24..0.26).contains(&of_variables.sample_ratio));
        let whole = [("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://env.example/traces")];
        assert_eq!(settings(file, &whole).unwrap().unwrap().url.as_str(), "https://env.example/traces");
    }

    #[test]
    fn a_wrong_setting_is_named_and_no_header_is_shown() {
        let address = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.example");
        for (variable, words) in [
            (("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), "over HTTP as JSON"),
            (("OTEL_TRACES_SAMPLER_ARG", "2"), "from 0 to 1"),
            (("OTEL_EXPORTER_OTLP_HEADERS", "hunter2"), "KEY=VALUE"),
            (("OTEL_EXPORTER_OTLP_HEADERS", "x-key=hunter2\u{7f}"), "no value for a header"),
        ] {
            let error = format!("{:#}", settings("", &[address, variable]).unwrap_err());
            assert!(error.contains(words) && !error.contains("hunter2"), "{error}");
        }
        let error = settings("endpoint = \"ftp://a.example\"", &[]).unwrap_err();
        assert!(error.to_string().contains("http://"), "{error}");
    }
}
