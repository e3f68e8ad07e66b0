//! The second verifier as one page that works from a saved copy, too (tools/verifier; openapi.yaml, `getVerifier`).

use crate::edge::page::{ASKED_ANEW, send_under};
use actix_web::{HttpRequest, HttpResponse};
use fairshoe_page::{File, VERIFIER};
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;

const PAGE: &str = include_str!("../../../../tools/verifier/page.html");
/// The element of the page that names its script.
const SCRIPT: &str = r#"<script src="fairshoe-verify.js"></script>"#;

struct Page {
    html: File,
    /// The browser may run and fetch only what stands in the page, and from this service.
    policy: String,
}

static SERVED: LazyLock<Page> = LazyLock::new(|| {
    // A script that held the closing tag would end itself.
    let script = VERIFIER.replace("</script", "<\\/script");
    let html = PAGE.replacen(SCRIPT, &format!("<script>{script}</script>"), 1);
    let scripts = inline(&html, "script").map(source).collect::<Vec<_>>().join(" ");
    let styles = inline(&html, "style").map(source).collect::<Vec<_>>().join(" ");
    let policy = format!(
        "default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    Page { html: File::new("text/html; charset=utf-8", html.into_bytes().into()), policy }
});

/// The texts between the tags of each element of this name.
fn inline<'h>(html: &'h str, name: &'static str) -> impl Iterator<Item = &'h str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut rest = html;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(&open)?;
        let (text, left) = after.split_once(&close)?;
        rest = left;
        Some(text)
    })
}

/// The text's hash as a policy names it.
fn source(text: &str) -> String {
    format!("'sha256-{}'", fairshoe_tlog::Hash(Sha256::digest(text).into()))
}

/// See the module.
pub async fn page(http: HttpRequest) -> HttpResponse {
    send_under(&SERVED.policy, &http, &SERVED.html, ASKED_ANEW)
}
