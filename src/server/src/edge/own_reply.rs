//! The replies that actix gives by itself: how they are recognised, and what is said in their place (`wire.rs`).

use crate::edge::problem::Problem;
use actix_web::http::StatusCode;
use fairshoe_api::ErrorCode;

/// A reply that actix gives by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Own<'b> {
    /// Its first line, and the line of its date.
    first: &'b str,
    date: &'b str,
    pub status: StatusCode,
}

impl<'b> Own<'b> {
    /// The refusal that these bytes are, if they are one.
    pub fn of(bytes: &'b [u8]) -> Option<Self> {
        let (first, rest) = std::str::from_utf8(bytes).ok()?.split_once("\r\n")?;
        let status: StatusCode = first.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
        let date = rest.split("\r\n").find(|line| line.starts_with("date: "))?;
        let is_refusal = status.is_client_error() || status.is_server_error();
        is_refusal.then_some(Own { first, date, status })
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

/// The problem that such a status stands for.
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

    #[test]
    fn a_refusal_of_actixs_own_is_read_and_nothing_else_is_one() {
        let own = format!("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n{DATE}\r\n\r\n");
        assert_eq!(Own::of(own.as_bytes()).map(|own| own.status), Some(StatusCode::BAD_REQUEST));
        for other in
            ["", "HTTP/1.1 100 Continue\r\n\r\n", &own.replace("400 Bad Request", "200 OK"), &own.replace(DATE, "")]
        {
            assert_eq!(Own::of(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn the_reply_in_its_place_says_the_same_and_why() {
        let own =
            format!("HTTP/1.0 408 Request Timeout\r\ncontent-length: 0\r\nconnection: keep-alive\r\n{DATE}\r\n\r\n");
        let own = Own::of(own.as_bytes()).unwrap();
        let reply = own.with_body(&problem(own.status));
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.0 408 Request Timeout\r\n") && head.ends_with(DATE));
        assert!(head.contains(&format!("\r\ncontent-length: {}\r\nconnection: close\r\n", body.len())));
        assert_eq!(serde_json::from_str::<serde_json::Value>(body).unwrap()["code"], "request_timeout");
    }
}
