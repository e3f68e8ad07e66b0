//! How the service asks others over HTTP: a wallet, witnesses, an order's servers, its own nodes.

use ureq::config::ConfigBuilder;
use ureq::typestate::AgentScope;

/// What an agent of the service begins with: nobody's environment puts a proxy before it. *`HTTP_PROXY` is set for other
/// programs of the machine, and the wallet's token would go through whoever that is; nor does a proxy reach loopback.*
pub fn direct() -> ConfigBuilder<AgentScope> {
    ureq::Agent::config_builder().proxy(None)
}
