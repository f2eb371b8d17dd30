//! The page around a provider's checkout: it frames it, listens to it, and tells its own parent and opener.

mod policy;
mod template;
mod words;

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::RampProfile;
use causeway_wire::FiatErrorCode;
use serde_json::json;

use super::get_order::find_order;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, Segment};
use policy::Embedding;
use template::{Piece, escape, fill, json_block};

const PAGE: &str = include_str!("page.html");
const PROBLEM: &str = include_str!("problem.html");

/// What a checkout needs to work in a frame; leading the whole window away is not among it.
const SANDBOX: &str = "allow-scripts allow-same-origin allow-forms allow-modals allow-popups \
allow-popups-to-escape-sandbox allow-downloads";

/// The page that shows a checkout, for a popup or a frame.
///
/// It posts `FIAT_WIDGET_EVENT` messages to its parent and its opener. Only the configured pages may frame it.
#[utoipa::path(
    get,
    path = "/v1/fiat/widget/{orderId}",
    tag = "fiat",
    params(("orderId" = String, Path, description = "As the order was answered", example = "0f8fad5bd9cb469fa16570867728950e")),
    responses(
        (status = 200, description = "The page", content_type = "text/html", body = String),
        (status = 403, description = "ORIGIN_NOT_ALLOWED, as a page", content_type = "text/html", body = String),
        (status = 404, description = "ORDER_NOT_FOUND, as a page", content_type = "text/html", body = String),
    ),
)]
pub(crate) async fn get_fiat_widget(
    State(app): State<Arc<App>>,
    segment: Segment,
    headers: HeaderMap,
) -> Response {
    show(&app, segment).await.unwrap_or_else(|error| problem(&app, error, &headers))
}

async fn show(app: &App, segment: Segment) -> ApiResult<Response> {
    // Whatever is wrong with the id, there is no such order.
    let text = segment.text(&mut Issues::default());
    let order = find_order(app, text.as_deref()).await?;
    let embedding = embedding(app);
    if let Some(origin) = order.origin.as_deref().filter(|origin| !embedding.allows(origin)) {
        let words =
            format!("The checkout cannot be shown for {origin}: it is not among the configured origins.");
        return Err(ApiError::fiat(FiatErrorCode::OriginNotAllowed, words));
    }
    let order = app.fiat.order.to_show(order).await;
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
    let what = token.map_or("tokens", |token| token.symbol.as_str());
    let decimals = token.map_or(0, |token| token.decimals);
    let gets = format!("{} {what}", shorter(&order.expected.to_decimal(decimals)));
    let chain = snapshot.chain(order.target.chain()).map_or("its chain", |chain| chain.name.as_str());
    let provider = profile.map_or(order.provider.as_str(), |profile| profile.name.as_str());
    let widget =
        profile.filter(|profile| lies_at(&order.widget_url, profile)).map(|_| order.widget_url.as_str());
    let frame = profile
        .zip(widget)
        .filter(|_| !order.status.is_terminal())
        .map(|(profile, url)| frame(profile, url))
        .unwrap_or_default();
    let sold = snapshot.token(&order.sold).map_or("a stablecoin", |listed| listed.token.symbol.as_str());
    let between = order.strategy.jump().map(|_| between(provider, sold, what)).unwrap_or_default();
    let (headline, words) = words::words(order);
    let config = json_block(&json!({
        "orderId": order.id.as_str(),
        "provider": order.provider,
        "jump": order.strategy.jump().is_some(),
        "origins": profile.map(policy::origins).unwrap_or_default(),
        "targets": embedding.targets(order.origin.as_deref()),
        "statusUrl": format!("/v1/fiat/orders/{}/status", order.id),
    }));
    fill(
        PAGE,
        &[
            ("what", Piece::Text(what)),
            ("provider", Piece::Text(provider)),
            ("nonce", Piece::Text(nonce)),
            ("pays", Piece::Text(&format!("{} {}", order.pays, order.pays.currency))),
            ("gets", Piece::Text(&gets)),
            ("chain", Piece::Text(chain)),
            ("between", Piece::Markup(&between)),
            ("recipient", Piece::Text(&order.recipient.to_string())),
            ("status", Piece::Text(order.status.as_str())),
            ("headline", Piece::Text(headline)),
            ("words", Piece::Text(&words)),
            ("frame", Piece::Markup(&frame)),
            ("widget", Piece::Text(widget.unwrap_or("#"))),
            ("order", Piece::Text(order.id.as_str())),
            ("config", Piece::Markup(&config)),
        ],
    )
}

/// An amount to look at: what stands behind the sixth digit after the point is nothing to a payer.
fn shorter(amount: &str) -> String {
    let Some((whole, fraction)) = amount.split_once('.') else { return amount.to_owned() };
    // Of what is less than one, four digits that mean something.
    let zeros = if whole == "0" { fraction.bytes().take_while(|digit| *digit == b'0').count() } else { 0 };
    let shown = fraction.get(..(zeros + 4).max(6)).unwrap_or(fraction).trim_end_matches('0');
    if shown.is_empty() { whole.to_owned() } else { format!("{whole}.{shown}") }
}

/// Why the provider's page names another token and another wallet.
fn between(provider: &str, sold: &str, what: &str) -> String {
    let mut markup = String::from("<p class=\"to muted\">");
    let words =
        format!("{provider} sells {sold} to an address of this order, where it is swapped into your {what}.");
    escape(&mut markup, &words);
    markup.push_str("</p>");
    markup
}

/// A checkout that lies elsewhere than its provider says is not shown: its messages could not be believed either.
fn lies_at(url: &str, profile: &RampProfile) -> bool {
    policy::own_origin(url).is_some_and(|origin| policy::origins(profile).contains(&origin))
}

/// The frame, without its page: the script opens that once it listens, so that no word of it is lost.
fn frame(profile: &RampProfile, url: &str) -> String {
    let mut markup = String::from("<iframe id=\"checkout\" title=\"Payment by ");
    escape(&mut markup, &profile.name);
    markup.push_str("\" data-src=\"");
    escape(&mut markup, url);
    markup.push_str("\" allow=\"");
    escape(&mut markup, &policy::allow(profile));
    markup.push_str("\" referrerpolicy=\"strict-origin\" sandbox=\"");
    markup.push_str(SANDBOX);
    markup.push_str("\"></iframe>");
    markup
}

/// An error as a page, or as JSON for who asks for that alone.
fn problem(app: &App, error: ApiError, headers: &HeaderMap) -> Response {
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
    let words = match code {
        FiatErrorCode::OrderNotFound => {
            "The address may be cut off. Open the checkout again from where you came."
        }
        _ => error.message(),
    };
    let Ok(nonce) = nonce() else { return error.into_response() };
    let page = fill(
        PROBLEM,
        &[
            ("title", Piece::Text(title)),
            ("words", Piece::Text(words)),
            ("code", Piece::Text(code.as_str())),
            ("nonce", Piece::Text(&nonce)),
        ],
    );
    let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, policy::headers(&nonce, None, &embedding(app)), page).into_response()
}

#[cfg(test)]
mod tests {
    use super::shorter;

    #[test]
    fn amounts_are_cut_to_what_a_payer_reads() {
        for (amount, shown) in [
            ("0.026718214037829481", "0.026718"),
            ("96.5", "96.5"),
            ("100", "100"),
            ("0.000000012345678", "0.00000001234"),
            ("1.000000000000000001", "1"),
        ] {
            assert_eq!(shorter(amount), shown, "{amount}");
        }
    }
}
