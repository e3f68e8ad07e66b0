//! How much goes wrong in a run: some runs have no trouble at all, so that what they find is the house's own.

use crate::disk::Disk;
use crate::process::LOW_SPACE;
use crate::rng::Rng;
use crate::store::FREE_FLOOR;

/// See the module. Odds are one in so many; zero: never.
#[derive(Clone, Copy)]
pub struct Trouble {
    /// That a packet is lost, or doubled.
    pub network: usize,
    /// That the process dies at a step.
    crash: usize,
    /// That a call of the disk fails.
    disk: usize,
    /// That the process stands still, its clock is put, the disk fills up.
    odd: usize,
    /// Whether a crash may leave damage that no disk is assumed to do.
    pub damage: bool,
    /// Whether a crash may leave damage in snapshots.
    pub spoils: bool,
    /// How far the machine's clock is off, milliseconds.
    pub skew: i64,
}

/// What happens at a step.
#[derive(Debug, Default)]
pub struct Step {
    pub crash: bool,
    /// Milliseconds in which no thread runs.
    pub standstill: u64,
    /// The commit thread looks at the free space.
    pub looks_at_space: bool,
    /// The service is asked to stop.
    pub stop: bool,
}

impl Step {
    pub fn is_anything(&self) -> bool {
        self.crash || self.standstill > 0 || self.looks_at_space || self.stop
    }
}

impl Trouble {
    /// None yet: a run begins in peace.
    pub fn of(rng: &mut Rng) -> Trouble {
        let mut trouble = Trouble { network: 0, crash: 0, disk: 0, odd: 0, damage: false, spoils: false, skew: 0 };
        if rng.one_in(5) {
            return trouble;
        }
        trouble.network = rng.pick(&[0, 4, 12]);
        trouble.crash = rng.pick(&[0, 20, 60, 60]);
        trouble.disk = rng.pick(&[0, 0, 25, 100]);
        trouble.odd = rng.pick(&[0, 15, 40]);
        trouble.damage = rng.one_in(12);
        trouble.spoils = rng.one_in(4);
        trouble
    }

    pub fn begin(&self, disk: &mut Disk) {
        disk.fails = self.disk;
    }

    /// From here on nothing more goes wrong.
    pub fn end(&mut self, disk: &mut Disk) {
        (disk.fails, disk.dies_in, disk.free) = (0, None, 1 << 30);
        (self.network, self.crash, self.disk, self.odd, self.damage, self.spoils) = (0, 0, 0, 0, false, false);
    }

    pub fn step(&mut self, rng: &mut Rng, disk: &mut Disk) -> Step {
        let happens = |rng: &mut Rng, odds: usize| odds > 0 && rng.one_in(odds);
        let mut step = Step::default();
        if happens(rng, self.crash) {
            // At once, or in the middle of one of the next calls of the disk.
            if rng.one_in(3) { step.crash = true } else { disk.dies_in = Some(rng.below(9)) }
        }
        if happens(rng, self.odd) {
            match rng.below(6) {
                0 => step.standstill = rng.pick(&[31_000, 65_000, 600_000, 7_200_000]),
                1 => self.skew = rng.pick(&[0, -3_000, 3_000, -40_000, 40_000, -3_600_000]),
                2 => (disk.free, step.looks_at_space) = (LOW_SPACE - 1, true),
                3 if rng.one_in(3) => disk.free = FREE_FLOOR - 1,
                4 => step.stop = true,
                _ => (disk.free, step.looks_at_space) = (1 << 30, true),
            }
        }
        step
    }
}
