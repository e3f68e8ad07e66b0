//! The replies that actix gives by itself: how they are recognised, and what is said in their place (`wire.rs`).

use crate::edge::problem::Problem;
use actix_web::http::StatusCode;
use fairshoe_api::ErrorCode;

/// No reply that actix gives by itself is longer, in bytes.
const LONGEST_OWN: usize = 256;

/// A reply that actix gives by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Own<'b> {
    /// Its first line, and the line of its date.
    first: &'b str,
    date: &'b str,
    pub status: StatusCode,
    /// Its length in bytes.
    pub length: usize,
}

impl<'b> Own<'b> {
    /// The reply that these bytes end with, if it is one.
    pub fn at_the_end(bytes: &'b [u8]) -> Option<Self> {
        let last = bytes.get(bytes.len().saturating_sub(LONGEST_OWN)..)?;
        let mark = b"HTTP/1.";
        let own = last.get(last.windows(mark.len()).rposition(|seven| seven == mark)?..)?;
        let mut lines = std::str::from_utf8(own).ok()?.strip_suffix("\r\n\r\n")?.split("\r\n");
        let first = lines.next()?;
        let (version, status) = first.split_once(' ')?;
        let (code, reason) = status.split_once(' ')?;
        let status: StatusCode = code.parse().ok()?;
        let is_refusal = ["HTTP/1.0", "HTTP/1.1"].contains(&version) && status.canonical_reason() == Some(reason);
        if !is_refusal
            || !(status.is_client_error() || status.is_server_error())
            || lines.next() != Some("content-length: 0")
        {
            return None;
        }
        let date = match lines.next()? {
            "connection: close" | "connection: keep-alive" | "connection: upgrade" => lines.next()?,
            date => date,
        };
        let is_whole = date.starts_with("date: ") && lines.next().is_none();
        is_whole.then_some(Own { first, date, status, length: own.len() })
    }

    /// The same with this status: that of a head that is too long, or that did not come.
    pub fn with(&self, status: StatusCode) -> Self {
        let first = match status {
            StatusCode::REQUEST_TIMEOUT => "HTTP/1.1 408 Request Timeout",
            _ => "HTTP/1.1 431 Request Header Fields Too Large",
        };
        Own { first, status, ..*self }
    }

    /// The same with the problem as its body.
    pub fn with_body(&self, problem: &Problem) -> String {
        let (first, date, body) = (self.first, self.date, problem.text());
        let length = body.len();
        format!(
            "{first}\r\ncontent-length: {length}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n\
             cache-control: no-store\r\n{date}\r\n\r\n{body}"
        )
    }
}

/// What such a status means.
pub fn problem(status: StatusCode) -> Problem {
    match status {
        StatusCode::REQUEST_TIMEOUT => {
            Problem::new(status, ErrorCode::RequestTimeout, "the head of a request took too long to come")
        }
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            Problem::new(status, ErrorCode::HeadTooLarge, "the head of a request is at most 32 KiB and 96 headers here")
        }
        status if status.is_client_error() => Problem {
            status,
            ..Problem::malformed(
                "this is no request of HTTP/1.1: its first line, a header or the framing of its body cannot be read",
            )
        },
        status => Problem { status, ..Problem::internal("the HTTP parser failed") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "date: Sun, 22 Nov 2026 09:00:00 GMT";

    fn found(text: &str) -> Option<(StatusCode, usize)> {
        Own::at_the_end(text.as_bytes()).map(|own| (own.status, own.length))
    }

    #[test]
    fn a_reply_of_actixs_own_is_found_at_the_end_and_nowhere_else() {
        let own = format!("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n{DATE}\r\n\r\n");
        let is = Some((StatusCode::BAD_REQUEST, own.len()));
        assert_eq!(found(&own), is);
        assert_eq!(found(&format!("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n{DATE}\r\n\r\nok{own}")), is);
        assert_eq!(found(&format!("{own}{own}")), is);
        let without =
            own.replace("connection: close\r\n", "").replace("400 Bad Request", "431 Request Header Fields Too Large");
        assert_eq!(found(&without), Some((StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, without.len())));
        for other in [
            format!("{own} "),
            own.replace("content-length: 0", "content-length: 10"),
            own.replace("content-length: 0\r\n", ""),
            own.replace("date", "cache-control: no-store\r\ndate"),
            own.replace("400 Bad Request", "400 Something"),
            own.replace("400 Bad Request", "200 OK"),
            own.replace("400 Bad Request", "304 Not Modified"),
            own.replace("HTTP/1.1", "HTTP/1.2"),
            own.replace(DATE, "server: x"),
            own.chars().skip(1).collect(),
            own.strip_suffix("\r\n").unwrap().to_owned(),
            String::new(),
            "\r\n\r\n".into(),
        ] {
            assert_eq!(found(&other), None, "{other}");
        }
    }

    #[test]
    fn the_reply_in_its_place_says_the_same_and_why() {
        let own =
            format!("HTTP/1.0 408 Request Timeout\r\ncontent-length: 0\r\nconnection: keep-alive\r\n{DATE}\r\n\r\n");
        let own = Own::at_the_end(own.as_bytes()).unwrap();
        let reply = own.with_body(&problem(own.status));
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.0 408 Request Timeout\r\n") && head.ends_with(DATE));
        assert!(head.contains(&format!("\r\ncontent-length: {}\r\nconnection: close\r\n", body.len())));
        assert_eq!(serde_json::from_str::<serde_json::Value>(body).unwrap()["code"], "request_timeout");
    }
}
