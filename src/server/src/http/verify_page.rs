//! The second verifier as one page that works from a saved copy, too (tools/verifier; openapi.yaml, `getVerifier`).

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use fairshoe_page::VERIFIER;
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;

const PAGE: &str = include_str!("../../../../tools/verifier/page.html");
/// Where the page names its script.
const SCRIPT: &str = r#"<script src="fairshoe-verify.js"></script>"#;

struct Page {
    html: String,
    /// What the browser may run and fetch: what stands in the page, and this service.
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
    Page { html, policy }
});

/// What stands between the tags of each element of this name.
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
pub async fn page() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((CONTENT_SECURITY_POLICY, SERVED.policy.as_str()))
        .insert_header(("X-Content-Type-Options", "nosniff"))
        .insert_header(("Referrer-Policy", "no-referrer"))
        .body(SERVED.html.as_str())
}
