//! A player of a run: their identity for the service, their seeds and signatures. The strategy makes their choices.

use crate::client::{Request, Token};
use crate::failure::Failure;
use crate::pen::{Pen, random};
use crate::shared::Shared;
use fairshoe_fairness::{ClientSeed, PlayerId, SeedCommitment, TableContext, derive_client_seed, seed_commitment};
use fairshoe_house::{Command, Signed};

/// A player of a run: a name, a token, a secret, and optionally a key.
pub struct Member {
    /// The name that no other run uses.
    pub name: PlayerId,
    /// Their token, once they are registered.
    pub token: Token,
    /// How often they were credited chips.
    pub credits: u64,
    /// Their signing key, if they sign.
    pub pen: Option<Pen>,
    secret: [u8; 32],
}

impl Member {
    /// A player who is not registered yet; `life` counts the names under which they were here before.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn new(shared: &Shared, number: u16, life: u32) -> Result<Member, Failure> {
        let again = if life == 0 { String::new() } else { format!("-{life}") };
        let name = format!("load-{}-{number}{again}", shared.run);
        let name = PlayerId::parse(&name).map_err(|e| Failure::Usage(format!("the player's name {name}: {e}")))?;
        let secret = random()?;
        let pen = if shared.args.sign { Some(Pen::fresh()?) } else { None };
        Ok(Member { name, token: shared.operator.clone(), credits: 0, pen, secret })
    }

    /// A seed for a round, known only to them.
    pub fn seed(&self, context: &TableContext, round_no: u64) -> ClientSeed {
        derive_client_seed(&self.secret, context, round_no)
    }

    /// Its hash.
    pub fn commitment(&self, context: &TableContext, round_no: u64) -> SeedCommitment {
        seed_commitment(context, round_no, &self.name, &self.seed(context, round_no))
    }

    /// Signs a command and its request, if they have a key.
    ///
    /// # Errors
    /// [`Failure::Usage`].
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
