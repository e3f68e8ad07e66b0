//! How many guests come from where in an hour: by address, and by the network around it. Where few places are left the
//! house looks at how many each holds, too.

use crate::edge::client_address::{network, wide};
use crate::edge::problem::Problem;
use crate::edge::rates::check;
use fairshoe_api::ErrorCode;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many times as many come from the network around an address. *Attack: one customer who has many networks of IPv6 to
/// choose from takes every place there is.*
const OF_NETWORK: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);

/// A key is remembered for as long as what it was counted for.
const REMEMBERED: Duration = Duration::from_secs(3600);

/// So many are remembered at most. One more is counted each time.
const MOST_REMEMBERED: usize = 65_536;

type Limiter = DefaultKeyedRateLimiter<IpAddr>;

/// See the module.
pub struct GuestQuota {
    addresses: Option<Limiter>,
    networks: Option<Limiter>,
    /// The keys under which somebody asked, and when that was counted: the same request again makes no second guest.
    counted: Mutex<HashMap<Vec<u8>, Instant>>,
}

impl GuestQuota {
    /// So many an hour from each address; zero: no limit.
    pub fn new(most: u32) -> Self {
        let most = NonZeroU32::new(most);
        let limiter = |most: NonZeroU32| RateLimiter::keyed(Quota::per_hour(most));
        GuestQuota {
            addresses: most.map(limiter),
            networks: most.map(|most| limiter(most.saturating_mul(OF_NETWORK))),
            counted: Mutex::default(),
        }
    }

    fn counted(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Instant>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether guests are counted at all.
    pub fn is_on(&self) -> bool {
        self.addresses.is_some()
    }

    /// Counts one who wants to be a guest, under a key of theirs if they have one.
    pub fn count(&self, address: IpAddr, key: Option<&[u8]>) -> Result<(), Problem> {
        // Under the lock until it is counted: of two that come at once the second is a repeat.
        let mut counted = self.counted();
        if key.and_then(|key| counted.get(key)).is_some_and(|since| since.elapsed() < REMEMBERED) {
            return Ok(());
        }
        let of_address = check(self.addresses.as_ref(), &network(address));
        of_address.and_then(|()| check(self.networks.as_ref(), &wide(address))).map_err(|problem| Problem {
            code: ErrorCode::TooManyGuests,
            detail:
                "so many guests an hour come from your address, or from the network that it is in; one of them may \
                     still be yours"
                    .into(),
            ..problem
        })?;
        if counted.len() >= MOST_REMEMBERED {
            counted.retain(|_, since| since.elapsed() < REMEMBERED);
        }
        if let Some(key) = key.filter(|_| counted.len() < MOST_REMEMBERED) {
            counted.insert(key.to_vec(), Instant::now());
        }
        Ok(())
    }

    /// Forgets who has not been seen lately.
    pub fn forget_the_quiet(&self) {
        [&self.addresses, &self.networks].into_iter().flatten().for_each(RateLimiter::retain_recent);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn admitted(quota: &GuestQuota, address: &str, key: Option<&[u8]>) -> bool {
        quota.count(address.parse().unwrap(), key).is_ok()
    }

    #[test]
    fn an_address_has_its_guests_and_the_network_around_it_five_times_as_many() {
        for (one, others, elsewhere) in
            [("192.0.2.1", "192.0.2.", "192.0.3.1"), ("2001:db8:7:1::1", "2001:db8:7:", "2001:db8:8:1::1")]
        {
            let quota = GuestQuota::new(2);
            assert!(admitted(&quota, one, None) && admitted(&quota, one, None) && !admitted(&quota, one, None));
            let other = |n: u32| if one.contains(':') { format!("{others}{n:x}::1") } else { format!("{others}{n}") };
            let more = (2..40).filter(|n| admitted(&quota, &other(*n), None)).count();
            assert_eq!(more, 8, "{others}");
            assert!(admitted(&quota, elsewhere, None));
        }
        let quota = GuestQuota::new(0);
        assert!((0..1_000).all(|_| admitted(&quota, "192.0.2.1", None)));
    }

    #[test]
    fn a_repeat_is_counted_once() {
        let quota = GuestQuota::new(2);
        assert!((0..10).all(|_| admitted(&quota, "192.0.2.1", Some(b"a"))));
        assert!(admitted(&quota, "192.0.2.1", Some(b"b")) && !admitted(&quota, "192.0.2.1", Some(b"c")));
        assert!(admitted(&quota, "192.0.2.1", Some(b"b")));
        assert!(!admitted(&quota, "192.0.2.1", Some(b"c")), "what was refused was not counted");
    }
}
