use std::borrow::Cow;
use std::fmt::Write as _;

use causeway_domain::{RawAmount, SOLANA_CHAIN_ID, TokenId};

use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::provider::Provider;
use crate::sandbox::session::{Session, State};

/// An invalid form field and its message.
pub(super) struct Problem {
    pub(super) field: &'static str,
    pub(super) message: &'static str,
}

/// The view of a purchase. All values are escaped when rendered.
pub(super) struct View<'a> {
    plan: SandboxPlan,
    session: &'a Session,
    symbol: String,
    delivers: String,
    chain: &'static str,
}

impl<'a> View<'a> {
    pub(super) fn new(provider: &Provider, session: &'a Session) -> Self {
        let id: Option<TokenId> = session.terms.asset.parse().ok();
        let token = id.as_ref().and_then(|id| provider.settings.asset(id));
        let raw: RawAmount = session.terms.amount.parse().unwrap_or_default();
        let chain = match id.map(|id| id.chain()) {
            Some(SOLANA_CHAIN_ID) => "Solana",
            Some(chain) if chain.get() == 8453 => "Base",
            Some(_) => "Ethereum",
            None => "",
        };
        Self {
            plan: provider.plan,
            session,
            symbol: token.map(|token| token.symbol.clone()).unwrap_or_default(),
            delivers: token.map(|token| raw.to_decimal(token.decimals)).unwrap_or_default(),
            chain,
        }
    }

    fn total(&self) -> String {
        format!("{} {}", self.session.terms.pays, self.session.terms.currency)
    }

    /// The event that the embedding window gets for this state.
    const fn event(&self) -> &'static str {
        match self.session.state {
            State::AwaitingPayment => "created",
            State::Challenge => "",
            State::PaymentPending | State::Paid | State::Delivering => "processing",
            State::Completed => "completed",
            State::Failed | State::Expired => "failed",
            State::Canceled => "closed",
        }
    }
}

/// The whole page.
pub(super) fn render(view: &View<'_>, problem: Option<&Problem>) -> String {
    let terms = &view.session.terms;
    let name = view.plan.name();
    let reason = view.session.reason.as_ref().map_or("", |reason| reason.code.as_str());
    let body = match view.session.state {
        State::AwaitingPayment => match view.plan {
            SandboxPlan::Card => card_form(view, problem),
            SandboxPlan::Bank => bank_form(view),
        },
        State::Challenge => challenge(view),
        State::PaymentPending | State::Paid | State::Delivering => progress(view),
        State::Completed | State::Failed | State::Canceled | State::Expired => end(view),
    };
    let main = format!(
        r#"<main data-provider="{id}" data-order="{order}" data-session="{session}" data-state="{state}" data-event="{event}" data-reason="{reason}">
<header><img src="/assets/{id}.svg" alt="" width="32" height="32"><strong>{name}</strong><span class="badge">Sandbox</span></header>
{summary}
{body}
<footer>Play money. Never enter a real card or a real account here.</footer>
</main>"#,
        id = view.plan.id(),
        order = escape(&terms.order),
        session = escape(&terms.session),
        state = view.session.state.as_str(),
        event = view.event(),
        reason = escape(reason),
        summary = summary(view),
    );
    let icon = format!("<link rel=\"icon\" href=\"/assets/{}.svg\">\n", view.plan.id());
    document(&format!("{name} checkout"), &icon, &main, view.session.state.is_over())
}

/// A page with one message.
pub(super) fn message(message: &str) -> String {
    document("Checkout", "", &format!("<main><p class=\"lead\">{}</p></main>", escape(message)), true)
}

fn document(title: &str, icon: &str, main: &str, over: bool) -> String {
    // Without the script the page reloads itself.
    let refresh =
        if over { "" } else { "<noscript><meta http-equiv=\"refresh\" content=\"15\"></noscript>\n" };
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{}</title>
<link rel="stylesheet" href="/assets/checkout.css">
{icon}{refresh}<script type="module" src="/assets/checkout.js"></script>
</head>
<body>
{main}
</body>
</html>
"#,
        escape(title)
    )
}

fn summary(view: &View<'_>) -> String {
    let terms = &view.session.terms;
    let currency = escape(&terms.currency);
    let mut fees = String::new();
    for (kind, amount) in &terms.fees {
        let label = match kind.as_str() {
            "provider" => "Provider fee",
            "network" => "Network fee",
            other => other,
        };
        let _ = write!(fees, "<div><dt>{}</dt><dd>{} {currency}</dd></div>", escape(label), escape(amount));
    }
    format!(
        r#"<section class="summary" aria-label="Purchase">
<p class="pays"><span>You pay</span><b>{pays}</b></p>
<p class="gets"><span>You get</span><b>{delivers} {symbol}</b><small>on {chain}</small></p>
<dl>{fees}<div><dt>To</dt><dd class="wallet">{wallet}</dd></div></dl>
</section>"#,
        pays = escape(&view.total()),
        delivers = escape(&view.delivers),
        symbol = escape(&view.symbol),
        chain = view.chain,
        wallet = escape(&terms.wallet),
    )
}

/// The URL of a form action.
fn action(view: &View<'_>, action_name: &str) -> String {
    format!("/{}/checkout/{}/{action_name}", view.plan.id(), escape(&view.session.terms.session))
}

fn cancel(view: &View<'_>) -> String {
    format!(
        r#"<form method="post" action="{}"><button class="quiet" type="submit">Cancel</button></form>"#,
        action(view, "cancel")
    )
}

fn card_form(view: &View<'_>, problem: Option<&Problem>) -> String {
    let field = |name: &'static str, label: &str, hint: &str, width: u8| {
        let problem = problem.filter(|problem| problem.field == name);
        let (state, message) = problem.map_or((String::new(), String::new()), |problem| {
            let state = format!(r#" aria-invalid="true" aria-describedby="{name}-problem""#);
            let message = escape(problem.message);
            (state, format!(r#"<p class="problem" id="{name}-problem" role="alert">{message}</p>"#))
        });
        format!(
            r#"<div class="field"><label for="{name}">{label}</label><input id="{name}" name="{name}" inputmode="numeric" autocomplete="off" maxlength="{width}" placeholder="{hint}" required{state}>{message}</div>"#
        )
    };
    format!(
        r#"<form method="post" action="{action}" class="card">
{number}
<div class="pair">{expiry}{cvc}</div>
<button type="submit" aria-label="Pay">Pay <span>{pays}</span></button>
</form>
{cancel}
<details><summary>Test cards</summary><ul>
<li><code>4242 4242 4242 4242</code> succeeds</li>
<li><code>4000 0000 0000 0002</code> is declined</li>
<li><code>4000 0000 0000 3220</code> asks for approval first</li>
<li><code>4000 0000 0000 0077</code> succeeds after a while</li>
</ul><p>Any expiry in the future, any CVC.</p></details>"#,
        action = action(view, "pay"),
        number = field("number", "Card number", "4242 4242 4242 4242", 23),
        expiry = field("expiry", "Expiry", "MM/YY", 7),
        cvc = field("cvc", "CVC", "123", 4),
        pays = escape(&view.total()),
        cancel = cancel(view),
    )
}

fn bank_form(view: &View<'_>) -> String {
    let reference: String = view.session.terms.session.chars().take(10).collect();
    format!(
        r#"<section aria-label="Transfer">
<p>Transfer the amount to this account, with the reference.</p>
<dl class="transfer">
<div><dt>Account holder</dt><dd>Sandbox Bank</dd></div>
<div><dt>IBAN</dt><dd><code>SB66 CAUS 0000 0000 4242 42</code></dd></div>
<div><dt>Amount</dt><dd><code>{pays}</code></dd></div>
<div><dt>Reference</dt><dd><code>SBX-{reference}</code></dd></div>
</dl>
</section>
<form method="post" action="{action}"><button type="submit">I have paid</button></form>
{cancel}"#,
        pays = escape(&view.total()),
        reference = escape(&reference.to_uppercase()),
        action = action(view, "paid"),
        cancel = cancel(view),
    )
}

fn challenge(view: &View<'_>) -> String {
    format!(
        r#"<section class="stage"><h1>Is it you?</h1><p>Your card's bank asks you to approve a payment of <b>{pays}</b> to Sandbox Card.</p></section>
<form method="post" action="{action}" class="pair"><button type="submit" name="answer" value="approve">Approve</button><button class="quiet" type="submit" name="answer" value="fail">Reject</button></form>
{cancel}"#,
        pays = escape(&view.total()),
        action = action(view, "challenge"),
        cancel = cancel(view),
    )
}

fn progress(view: &View<'_>) -> String {
    let (title, message) = match (view.session.state, view.plan) {
        (State::PaymentPending, SandboxPlan::Bank) => {
            ("Waiting for your transfer", "Banks take a few seconds here, and a day elsewhere.")
        }
        (State::PaymentPending, SandboxPlan::Card) => {
            ("Payment under way", "Your card's bank is being asked.")
        }
        _ => ("Paid", "Your purchase is on its way to the wallet."),
    };
    format!(
        r#"<section class="stage" role="status"><div class="spinner" aria-hidden="true"></div><h1>{title}</h1><p>{message} You can close this page.</p></section>"#
    )
}

fn end(view: &View<'_>) -> String {
    let reason = view.session.reason.as_ref().map_or("", |reason| reason.message.as_str());
    let (mark, title, message): (&str, &str, Cow<'_, str>) = match view.session.state {
        State::Completed => ("done", "Delivered", "It is in your wallet.".into()),
        State::Canceled => ("gone", "Canceled", "Nothing was charged.".into()),
        State::Expired => ("gone", "Expired", "Nothing was paid in time, and nothing was charged.".into()),
        _ => ("gone", "It did not work", format!("The provider says: {reason}.").into()),
    };
    let mut receipts = String::new();
    for tx in view.session.deliveries.iter().filter_map(|delivery| delivery.tx.as_deref()) {
        let _ = write!(receipts, "<p class=\"wallet\"><small>Transaction {}</small></p>", escape(tx));
    }
    format!(
        r#"<section class="stage" role="status"><div class="mark {mark}" aria-hidden="true"></div><h1>{title}</h1><p>{message}</p>{receipts}</section>
<button type="button" class="quiet" data-close>Close</button>"#,
        message = escape(&message),
    )
}

/// Escapes text for HTML, including attribute values.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::session::{PurchaseTerms, Reason};

    const EVIL: &str = r#""><script>alert('x')</script>&"#;

    #[test]
    fn all_text_is_escaped() {
        let terms = PurchaseTerms {
            session: EVIL.to_owned(),
            order: EVIL.to_owned(),
            currency: EVIL.to_owned(),
            pays: EVIL.to_owned(),
            fees: vec![(EVIL.to_owned(), EVIL.to_owned())],
            asset: EVIL.to_owned(),
            amount: EVIL.to_owned(),
            wallet: EVIL.to_owned(),
            opened_at: 0,
            expires_at: 0,
        };
        let mut session = Session::new(terms);
        session.reason = Some(Reason::new(EVIL, EVIL));
        let states = [State::AwaitingPayment, State::Challenge, State::Paid, State::Failed, State::Completed];
        for plan in SandboxPlan::ALL {
            for state in states {
                session.state = state;
                let view = View {
                    plan,
                    session: &session,
                    symbol: EVIL.to_owned(),
                    delivers: EVIL.to_owned(),
                    chain: "Base",
                };
                let page = render(&view, Some(&Problem { field: "number", message: "no" }));
                assert!(!page.contains("<script>") && !page.contains("alert('"), "{page}");
                assert!(!page.contains("onclick") && !page.contains("<style"), "nothing is inline");
            }
        }
    }
}
