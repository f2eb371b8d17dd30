//! The page that embeds a provider's checkout, listens to its messages and forwards them to its parent and opener.

mod policy;
mod status_text;
mod template;

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::RampProfile;
use causeway_wire::FiatErrorCode;
use serde_json::json;

use super::get_order::find_order;
use super::map_order::is_proved;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, PathParam, QueryParams};
use policy::Embedding;
use template::{Piece, escape, fill, json_block};

const PAGE: &str = include_str!("page.html");
const ERROR_PAGE: &str = include_str!("error.html");

/// Sandbox permissions of the checkout frame; it may not navigate the top window.
const IFRAME_SANDBOX: &str = "allow-scripts allow-same-origin allow-forms allow-modals allow-popups \
allow-popups-to-escape-sandbox allow-downloads";

/// The page that shows a checkout, for a popup or a frame.
///
/// It posts `FIAT_WIDGET_EVENT` messages to its parent and its opener. Only the configured pages may frame it.
#[utoipa::path(
    get,
    path = "/v1/fiat/widget/{orderId}",
    tag = "fiat",
    params(
        ("orderId" = String, Path, description = "As the order was answered", example = "0f8fad5bd9cb469fa16570867728950e"),
        ("token" = String, Query, description = "As in the order's `wrapperUrl`", example = "8a1f0c5be3d94a7712c06f5d9e2b4387"),
    ),
    responses(
        (status = 200, description = "The page", content_type = "text/html", body = String),
        (status = 403, description = "ORIGIN_NOT_ALLOWED, as a page", content_type = "text/html", body = String),
        (status = 404, description = "ORDER_NOT_FOUND, as a page", content_type = "text/html", body = String),
    ),
)]
pub(crate) async fn get_fiat_widget(
    State(app): State<Arc<App>>,
    param: PathParam,
    query: QueryParams,
    headers: HeaderMap,
) -> Response {
    show(&app, param, query).await.unwrap_or_else(|error| error_page(&app, error, &headers))
}

async fn show(app: &App, param: PathParam, mut query: QueryParams) -> ApiResult<Response> {
    // A malformed id is reported as an unknown order.
    let text = param.text(&mut Issues::default());
    let order = find_order(app, text.as_deref()).await?;
    // Anybody can list the orders of a wallet; its checkout is for whoever was given the page.
    if !is_proved(app, &order, query.raw("token").as_deref()) {
        let message = "This is not the whole address of the checkout: open it as the order was answered.";
        return Err(ApiError::fiat(FiatErrorCode::OrderNotFound, message));
    }
    let embedding = embedding(app);
    if let Some(origin) = order.origin.as_deref().filter(|origin| !embedding.allows(origin)) {
        let message = format!("The checkout cannot be shown for {origin}: it is not a configured origin.");
        return Err(ApiError::fiat(FiatErrorCode::OriginNotAllowed, message));
    }
    let order = app.fiat.order.with_fresh_checkout(order).await;
    let profile = app.fiat.ramps.get(&order.provider).map(|ramp| ramp.profile());
    let nonce = nonce()?;
    let page = render(app, &order, profile.as_deref(), &embedding, &nonce);
    Ok((policy::headers(&nonce, profile.as_deref(), &embedding), page).into_response())
}

fn embedding(app: &App) -> Embedding<'_> {
    Embedding {
        is_sandbox: app.options.mode == "sandbox",
        origins: &app.options.embed_origins,
        own: &app.options.public_url,
    }
}

fn nonce() -> ApiResult<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| ApiError::internal(&error))?;
    Ok(alloy_primitives::hex::encode(bytes))
}

fn render(
    app: &App,
    order: &FiatOrder,
    profile: Option<&RampProfile>,
    embedding: &Embedding<'_>,
    nonce: &str,
) -> String {
    let snapshot = app.catalog.snapshot();
    let token = snapshot.token(&order.target).map(|listed| listed.token);
    let symbol = token.map_or("tokens", |token| token.symbol.as_str());
    let decimals = token.map_or(0, |token| token.decimals);
    let receives = format!("{} {symbol}", shorten_amount(&order.expected.to_decimal(decimals)));
    let chain = snapshot.chain(order.target.chain()).map_or("its chain", |chain| chain.name.as_str());
    let provider = profile.map_or(order.provider.as_str(), |profile| profile.name.as_str());
    let widget = profile
        .filter(|profile| is_provider_url(&order.widget_url, profile))
        .map(|_| order.widget_url.as_str());
    let frame = profile
        .zip(widget)
        .filter(|_| !order.status.is_terminal())
        .map(|(profile, url)| frame(profile, url))
        .unwrap_or_default();
    let sold = snapshot.token(&order.sold).map_or("a stablecoin", |listed| listed.token.symbol.as_str());
    let note =
        order.strategy.forwarding().map(|_| forwarding_note(provider, sold, symbol)).unwrap_or_default();
    let (headline, message) = status_text::status_text(order);
    let config = json_block(&json!({
        "orderId": order.id.as_str(),
        "provider": order.provider,
        "jump": order.strategy.forwarding().is_some(),
        "origins": profile.map(policy::origins).unwrap_or_default(),
        "targets": embedding.targets(order.origin.as_deref()),
        "statusUrl": format!("/v1/fiat/orders/{}/status", order.id),
    }));
    fill(
        PAGE,
        &[
            ("symbol", Piece::Text(symbol)),
            ("provider", Piece::Text(provider)),
            ("nonce", Piece::Text(nonce)),
            ("pays", Piece::Text(&format!("{} {}", order.pays, order.pays.currency))),
            ("receives", Piece::Text(&receives)),
            ("chain", Piece::Text(chain)),
            ("note", Piece::Markup(&note)),
            ("recipient", Piece::Text(&order.recipient.to_string())),
            ("status", Piece::Text(order.status.as_str())),
            ("headline", Piece::Text(headline)),
            ("message", Piece::Text(&message)),
            ("frame", Piece::Markup(&frame)),
            ("widget", Piece::Text(widget.unwrap_or("#"))),
            ("order", Piece::Text(order.id.as_str())),
            ("config", Piece::Markup(&config)),
        ],
    )
}

/// Shortens an amount for display to six decimals, or to four significant digits if it is smaller.
fn shorten_amount(amount: &str) -> String {
    let Some((whole, fraction)) = amount.split_once('.') else { return amount.to_owned() };
    let zeros = if whole == "0" { fraction.bytes().take_while(|digit| *digit == b'0').count() } else { 0 };
    let shown = fraction.get(..(zeros + 4).max(6)).unwrap_or(fraction).trim_end_matches('0');
    if shown.is_empty() { whole.to_owned() } else { format!("{whole}.{shown}") }
}

/// Explains why the provider's page shows a different token and wallet.
fn forwarding_note(provider: &str, sold: &str, symbol: &str) -> String {
    let mut markup = String::from("<p class=\"to muted\">");
    let text = format!(
        "{provider} sells {sold} to an address of this order, where it is swapped into your {symbol}."
    );
    escape(&mut markup, &text);
    markup.push_str("</p>");
    markup
}

/// Whether the checkout URL has an origin of its provider. Others are not shown, because their messages cannot be trusted.
fn is_provider_url(url: &str, profile: &RampProfile) -> bool {
    policy::origin_of(url).is_some_and(|origin| policy::origins(profile).contains(&origin))
}

/// The frame without `src`: the script sets it once it listens, so that no message is lost.
fn frame(profile: &RampProfile, url: &str) -> String {
    let mut markup = String::from("<iframe id=\"checkout\" title=\"Payment by ");
    escape(&mut markup, &profile.name);
    markup.push_str("\" data-src=\"");
    escape(&mut markup, url);
    markup.push_str("\" allow=\"");
    escape(&mut markup, &policy::allow(profile));
    markup.push_str("\" referrerpolicy=\"strict-origin\" sandbox=\"");
    markup.push_str(IFRAME_SANDBOX);
    markup.push_str("\"></iframe>");
    markup
}

/// An error as a page, or as JSON if the client accepts only that.
fn error_page(app: &App, error: ApiError, headers: &HeaderMap) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains("application/json") && !accept.contains("text/html") {
        return error.into_response();
    }
    let code = error.code().unwrap_or(FiatErrorCode::InternalError);
    let title = match code {
        FiatErrorCode::OrderNotFound => "There is no such order",
        FiatErrorCode::OriginNotAllowed => "This page cannot be shown here",
        _ => "Something went wrong",
    };
    let message = match code {
        FiatErrorCode::OrderNotFound => {
            "The address may be cut off. Open the checkout again from where you came."
        }
        _ => error.message(),
    };
    let Ok(nonce) = nonce() else { return error.into_response() };
    let page = fill(
        ERROR_PAGE,
        &[
            ("title", Piece::Text(title)),
            ("message", Piece::Text(message)),
            ("code", Piece::Text(code.as_str())),
            ("nonce", Piece::Text(&nonce)),
        ],
    );
    let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, policy::headers(&nonce, None, &embedding(app)), page).into_response()
}

#[cfg(test)]
mod tests {
    use super::shorten_amount;

    #[test]
    fn amounts_are_shortened_for_display() {
        for (amount, shown) in [
            ("0.026718214037829481", "0.026718"),
            ("96.5", "96.5"),
            ("100", "100"),
            ("0.000000012345678", "0.00000001234"),
            ("1.000000000000000001", "1"),
        ] {
            assert_eq!(shorten_amount(amount), shown, "{amount}");
        }
    }
}
