//! One player of a cash table: their identity for the service, their seeds and signatures. The strategy makes their
//! choices.

use crate::client::{Request, Token};
use crate::failure::Failure;
use crate::pen::Pen;
use crate::shared::Shared;
use fairshoe_fairness::{PlayerId, SeedCommitment, TableContext, derive_client_seed, seed_commitment};
use fairshoe_house::{Command, Signed};

/// One player of a cash table: a name, a token, a secret, and optionally a key.
pub(super) struct Member {
    pub name: PlayerId,
    pub token: Token,
    pub credits: u64,
    pub pen: Option<Pen>,
    secret: [u8; 32],
}

impl Member {
    /// A player who is not registered yet.
    pub fn new(shared: &Shared, number: u16) -> Result<Member, Failure> {
        let name = format!("load-{}-{number}", shared.run);
        let name = PlayerId::parse(&name).map_err(|e| Failure::Usage(format!("the player's name {name}: {e}")))?;
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|e| Failure::Usage(format!("no randomness: {e}")))?;
        let pen = if shared.args.sign { Some(Pen::fresh()?) } else { None };
        Ok(Member { name, token: shared.operator.clone(), credits: 0, pen, secret })
    }

    /// A seed for a hand, known only to them, and its hash.
    pub fn commitment(&self, context: &TableContext, round_no: u64) -> SeedCommitment {
        seed_commitment(context, round_no, &self.name, &self.seed(context, round_no))
    }

    /// The seed itself.
    pub fn seed(&self, context: &TableContext, round_no: u64) -> fairshoe_fairness::ClientSeed {
        derive_client_seed(&self.secret, context, round_no)
    }

    /// Signs a command and its request, if they have a key.
    pub fn sign(
        &mut self,
        shared: &Shared,
        command: &Command,
        request: Request,
    ) -> Result<(Request, Option<Signed>), Failure> {
        let signed = self.pen.as_mut().map(|pen| pen.sign(&shared.origin, &self.name, command)).transpose()?;
        let request = request.token(&self.token);
        Ok(match &signed {
            Some(given) => (request.signed(given), signed),
            None => (request, None),
        })
    }
}
