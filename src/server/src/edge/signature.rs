//! The header in which a player's signature of a command travels (spec/entries.md, "Signed commands").

use crate::edge::problem::Problem;
use actix_web::HttpRequest;
use fairshoe_house::{Actor, Signed};

/// The header's name.
const HEADER: &str = "fairshoe-signature";

/// The signature that a request brings there, if any. The house decides whether it holds.
#[derive(Clone, Copy)]
pub enum Signature {
    Absent,
    Malformed,
    Given(Signed),
}

impl Signature {
    pub fn of(request: &HttpRequest) -> Signature {
        let mut values = request.headers().get_all(HEADER);
        let Some(value) = values.next() else { return Signature::Absent };
        let signed = value.to_str().ok().filter(|_| values.next().is_none()).and_then(parse);
        signed.map_or(Signature::Malformed, Signature::Given)
    }

    /// The signature of a command that this actor gives.
    pub fn by(self, actor: &Actor) -> Result<Option<Signed>, Problem> {
        match (self, actor) {
            (Signature::Absent, _) => Ok(None),
            (Signature::Given(signed), Actor::Player(_)) => Ok(Some(signed)),
            (Signature::Given(_), _) => {
                Err(Problem::malformed("only players sign: a Fairshoe-Signature comes with a player's token"))
            }
            (Signature::Malformed, _) => Err(Problem::malformed(
                "a Fairshoe-Signature is `nonce=NUMBER, sig=SIGNATURE`, once; the signature is 128 lower-case hexadecimal digits",
            )),
        }
    }
}

fn parse(text: &str) -> Option<Signed> {
    let (nonce, signature) = text.strip_prefix("nonce=")?.split_once(", sig=")?;
    let number = nonce.parse::<u64>().ok().filter(|number| number.to_string() == nonce)?;
    Some(Signed { nonce: number.try_into().ok()?, signature: signature.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_header_has_one_form() {
        let sig = "0a".repeat(64);
        assert!(parse(&format!("nonce=7, sig={sig}")).is_some_and(|signed| signed.nonce.get() == 7));
        for bad in [
            String::new(),
            sig.clone(),
            format!("nonce=0, sig={sig}"),
            format!("nonce=07, sig={sig}"),
            format!("nonce=+7, sig={sig}"),
            format!("nonce=9007199254740992, sig={sig}"),
            format!("nonce=7,sig={sig}"),
            format!("sig={sig}, nonce=7"),
            format!("nonce=7, sig={}", &sig[2..]),
            format!("nonce=7, sig={}", sig.to_uppercase()),
            format!("nonce=7, sig={sig} "),
        ] {
            assert!(parse(&bad).is_none(), "{bad}");
        }
    }
}
