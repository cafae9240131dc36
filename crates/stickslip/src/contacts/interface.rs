//! How a contact gives way, yields and breaks: stiffness, damping, a yield surface, and what becomes of it as it flows.
//!
//! ```text
//! r/h = −K (y − y_P) − α K (ẏ − ẏ_P),   r/h ∈ Υ,   ẏ_P ∈ −N_Υ(r/h)                Tasora 2013 (45), (46)
//! ```
//!
//! y is the gap and the way of slip, y_P its plastic part. In a step of size h with s = y − y_P before it,
//!
//! ```text
//! ẏ_P = u + E r + s/(h + α),   E = (h (h + α) K)⁻¹,    s⁺ = (α s − K⁻¹ r)/(h + α)      Tasora 2013 (50), (51)
//! ```
//!
//! so that E joins the diagonal of W and s/(h + α) joins q; with K = ∞ both vanish and the contact is rigid. A gap that is
//! still open closes at its full speed, gap/h, before the spring takes part.

use super::Contact;
use crate::schemes::Flow;
use stickslip_geometry::space::Vector;
use stickslip_solvers::block::tangent_norm;
use stickslip_solvers::laws::Law;

/// How two materials give way, yield and break where they touch, under the scheme `dvi`.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// Normal stiffness, force per length. Default infinite: rigid.
    pub stiffness_n: f64,
    /// Tangential stiffness. Default infinite.
    pub stiffness_t: f64,
    /// Damping time α: the damping is α times the stiffness. Default 0.
    pub damping: f64,
    /// Forces that the contact holds. Default Coulomb's cone.
    pub surface: Surface,
    /// Opening speed over slip speed where the contact slips, between 0 and mu, for cones. Default what the scheme's flow
    /// says.
    pub dilatancy: Option<f64>,
    /// Whether what opens as it slips under pressure stays open, as all flow does by Tasora 2013 (26): what slides climbs.
    /// Default false: the next step closes it, as where the paper leaves y_P at 0 (section 8).
    pub keeps_opening: bool,
    /// Factor of the cohesion by plastic opening and slip. Default 1 for ever; a factor that ends at 0 makes bonds that break.
    pub softening: Table,
    /// Factor of the cap by plastic crushing. Default 1.
    pub hardening: Table,
    /// Which contacts have cohesion. Default those that touch.
    pub bonds: Bonds,
}

impl Default for Interface {
    fn default() -> Self {
        Interface {
            stiffness_n: f64::INFINITY,
            stiffness_t: f64::INFINITY,
            damping: 0.0,
            surface: Surface::Cone,
            dilatancy: None,
            keeps_opening: false,
            softening: Table::default(),
            hardening: Table::default(),
            bonds: Bonds::Touch,
        }
    }
}

/// The forces that a contact holds; friction is that of the material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Surface {
    /// Coulomb's cone, Tasora 2013, Fig. 2.
    #[default]
    Cone,
    /// The cone moved down by a cohesion, Fig. 3.
    Cohesive {
        /// Pull that the contact holds, a force.
        cohesion: f64,
    },
    /// The cone rounded by a ball, Fig. 4.
    Rounded {
        /// Pull and shear that the contact holds, a force.
        cohesion: f64,
    },
    /// The rounded cone with a largest compression, Fig. 5.
    Capped {
        /// Pull and shear that the contact holds, a force.
        cohesion: f64,
        /// Largest compression, a force.
        cap: f64,
    },
}

impl Surface {
    fn cohesion(&self) -> f64 {
        match *self {
            Surface::Cone => 0.0,
            Surface::Cohesive { cohesion }
            | Surface::Rounded { cohesion }
            | Surface::Capped { cohesion, .. } => cohesion,
        }
    }

    fn is_cone(&self) -> bool {
        matches!(self, Surface::Cone | Surface::Cohesive { .. })
    }
}

/// Which contacts have cohesion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Bonds {
    /// Every contact from the step on in which it first pushes.
    #[default]
    Touch,
    /// Those alone whose gap is within a length before the first step: glue, cement. They begin without stress.
    Start {
        /// the largest gap
        within: f64,
    },
}

/// A factor given by points, straight between them and constant beyond; 1 without points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table(Vec<(f64, f64)>);

impl Table {
    /// Points `(way, factor)`, ways rising from 0 on, factors at least 0.
    pub fn new(points: Vec<(f64, f64)>) -> Result<Self, String> {
        let rising = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let sound =
            |&(way, factor): &(f64, f64)| way >= 0.0 && way.is_finite() && (0.0..=1e6).contains(&factor);
        match points.iter().find(|point| !sound(point)) {
            Some((way, factor)) => Err(format!(
                "the point ({way}, {factor}): ways are at least 0, factors lie between 0 and 1e6"
            )),
            None if !rising => Err("the ways of its points do not rise".into()),
            None => Ok(Table(points)),
        }
    }

    /// One until a way, and zero from there on: a bond that breaks.
    pub fn until(way: f64) -> Result<Self, String> {
        Table::new(vec![(way, 1.0), (way * (1.0 + 1e-9) + f64::MIN_POSITIVE, 0.0)])
    }

    /// The factor after a way.
    pub fn at(&self, way: f64) -> f64 {
        let points = &self.0;
        let next = points.partition_point(|point| point.0 <= way);
        match (next.checked_sub(1).map(|k| points[k]), points.get(next)) {
            (None, None) => 1.0,
            (None, Some(first)) => first.1,
            (Some(last), None) => last.1,
            (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (way - a.0) / (b.0 - a.0),
        }
    }
}

/// The history of a contact that gives way, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain<const D: usize> {
    /// The elastic part s of its deflection.
    pub elastic: Vector<D>,
    /// The plastic part y_P.
    pub plastic: Vector<D>,
    /// How far it has opened for good, and how far it was crushed; one does not mend the other.
    pub opened: f64,
    /// See [`opened`](Self::opened).
    pub crushed: f64,
    /// Elastic energy.
    pub energy: f64,
    /// Whether it has cohesion.
    pub bonded: bool,
}

impl<const D: usize> Default for Strain<D> {
    fn default() -> Self {
        Strain {
            elastic: Vector::zeros(),
            plastic: Vector::zeros(),
            opened: 0.0,
            crushed: 0.0,
            energy: 0.0,
            bonded: false,
        }
    }
}

impl<const D: usize> Strain<D> {
    /// The plastic way that wears a bond: opening and slip.
    fn wear(&self) -> f64 {
        self.opened.hypot(tangent_norm(&self.plastic))
    }
}

/// What an interface asks of the contact problem.
pub(crate) struct Response<const D: usize> {
    /// Joins q.
    pub shift: Vector<D>,
    /// E, which joins the diagonal of W.
    pub compliance: Vector<D>,
    pub law: Law,
}

/// Where the energy went that a contact took from its bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Losses {
    /// Change of the elastic energy.
    pub stored: f64,
    pub viscous: f64,
    /// Normal flow.
    pub plastic: f64,
    /// Tangential flow.
    pub friction: f64,
}

impl Interface {
    /// What is wrong with it for materials of friction mu, if anything.
    pub(super) fn fault(&self, mu: f64) -> Option<String> {
        for (what, value) in [("stiffness_n", self.stiffness_n), ("stiffness_t", self.stiffness_t)] {
            if value.is_nan() || value <= 0.0 {
                return Some(format!(
                    "{what} = {value}: give a positive number, or none for a rigid contact"
                ));
            }
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return Some(format!("damping = {}: give a time that is at least 0", self.damping));
        }
        if let Bonds::Start { within } = self.bonds
            && !(within >= 0.0 && within.is_finite())
        {
            return Some(format!("bonds within a gap of {within}: give a length that is at least 0"));
        }
        if self.dilatancy.is_some() && !self.surface.is_cone() {
            return Some("dilatancy: a rounded or capped surface has associated flow alone".into());
        }
        let cohesion = self.surface.cohesion();
        if !(cohesion >= 0.0 && cohesion.is_finite()) {
            return Some(format!("cohesion = {cohesion}: give a force that is at least 0, and an end"));
        }
        if cohesion == 0.0 {
            let idle = [
                (self.softening != Table::default(), "softening (or breaks)"),
                (self.bonds != Bonds::Touch, "bonds"),
            ];
            if let Some((_, what)) = idle.iter().find(|(given, _)| *given) {
                return Some(format!("{what}: there is no cohesion; give the surface one"));
            }
        }
        if self.hardening != Table::default() && !matches!(self.surface, Surface::Capped { .. }) {
            return Some("hardening: there is no cap; give surface = { capped = … }".into());
        }
        if let Surface::Capped { cap, .. } = self.surface
            && (cap.is_nan() || cap <= 0.0)
        {
            return Some(format!("cap = {cap}: give a positive force, or a surface without a cap"));
        }
        if let Surface::Capped { cohesion, cap } = self.surface
            && cap < cohesion
        {
            return Some(format!("cap = {cap}: a cap below the cohesion {cohesion} leaves no force"));
        }
        let (what, value, allowed) = self.law(mu, Flow::Associated, 1.0, 1.0, 1.0).fault()?;
        Some(format!("{what} = {value}: {allowed}"))
    }

    /// The law in a step of size h, with factors of cohesion and cap.
    fn law(&self, mu: f64, flow: Flow, cohesion: f64, cap: f64, h: f64) -> Law {
        let of_flow = if flow == Flow::Associated { mu } else { 0.0 };
        let dilatancy = self.dilatancy.unwrap_or(of_flow);
        let force = self.surface.cohesion() * cohesion * h;
        match self.surface {
            Surface::Cone | Surface::Cohesive { .. } if force == 0.0 && dilatancy == 0.0 => Law::coulomb(mu),
            Surface::Cone | Surface::Cohesive { .. } if force == 0.0 && dilatancy == mu => Law::convex(mu),
            Surface::Cone | Surface::Cohesive { .. } => Law::cohesive(mu, force, dilatancy),
            Surface::Rounded { .. } => Law::rounded(mu, force),
            Surface::Capped { cap: most, .. } => Law::capped(mu, force, (most * cap * h).max(force)),
        }
    }

    /// Whether it yields as dry contact does.
    pub(crate) fn is_plain_cone(&self) -> bool {
        self.surface == Surface::Cone && self.dilatancy.is_none()
    }

    /// The laws that may come about.
    pub(crate) fn laws(&self, mu: f64, flow: Flow) -> [Law; 2] {
        [self.law(mu, flow, 1.0, 1.0, 1.0), self.law(mu, flow, 0.0, 1.0, 1.0)]
    }

    /// The widest gap at which contacts begin with a bond.
    pub(super) fn widest_start(&self) -> f64 {
        if let Bonds::Start { within } = self.bonds { within } else { 0.0 }
    }

    /// The history with which a contact begins.
    pub(crate) fn fresh<const D: usize>(&self, contact: &Contact<D>, first_step: bool) -> Strain<D> {
        let mut strain = Strain::default();
        if first_step && self.surface.cohesion() > 0.0 && contact.gap <= self.widest_start() {
            strain.bonded = true;
            strain.plastic[0] = contact.gap;
        }
        strain
    }

    /// `h + α`, and h alone where the contact is rigid, α having nothing to damp.
    fn delay(&self, stiffness: f64, h: f64) -> f64 {
        if stiffness.is_finite() { h + self.damping } else { h }
    }

    fn stiffness(&self, k: usize) -> f64 {
        if k == 0 { self.stiffness_n } else { self.stiffness_t }
    }

    /// Deflection s of the contact before the step, and the part of its gap that is open.
    fn deflection<const D: usize>(&self, contact: &Contact<D>, strain: &Strain<D>) -> (Vector<D>, f64) {
        let mut s = strain.elastic;
        let way = contact.gap - strain.plastic[0];
        let open = if strain.bonded { 0.0 } else { way.max(0.0) };
        s[0] = way - open;
        (s, open)
    }

    /// What the contact asks of the problem of a step.
    pub(crate) fn response<const D: usize>(
        &self,
        contact: &Contact<D>,
        strain: &Strain<D>,
        flow: Flow,
        h: f64,
    ) -> Response<D> {
        let (s, open) = self.deflection(contact, strain);
        let mut shift = Vector::from_fn(|k, _| {
            if k > 0 && self.stiffness_t.is_infinite() {
                0.0
            } else {
                s[k] / self.delay(self.stiffness(k), h)
            }
        });
        shift[0] += open / h;
        let compliance = Vector::from_fn(|k, _| 1.0 / (h * (h + self.damping) * self.stiffness(k)));
        let cohesion = if strain.bonded { self.softening.at(strain.wear()) } else { 0.0 };
        Response {
            shift,
            compliance,
            law: self.law(contact.material.mu, flow, cohesion, self.hardening.at(strain.crushed), h),
        }
    }

    /// The history after a step, from its impulse r and flow `u = ẏ_P`, and where the energy went.
    pub(crate) fn flow<const D: usize>(
        &self,
        contact: &Contact<D>,
        strain: &Strain<D>,
        r: &Vector<D>,
        u: &Vector<D>,
        h: f64,
    ) -> (Strain<D>, Losses) {
        let (s, _) = self.deflection(contact, strain);
        let alpha = self.damping;
        let mut after = *strain;
        after.energy = 0.0;
        let mut losses = Losses::default();
        for k in 0..D {
            let stiffness = self.stiffness(k);
            if stiffness.is_infinite() {
                after.elastic[k] = 0.0;
                continue;
            }
            after.elastic[k] = (alpha * s[k] - r[k] / stiffness) / (h + alpha);
            let rate = (after.elastic[k] - s[k]) / h;
            losses.viscous += alpha * stiffness * rate * rate * h;
            after.energy += 0.5 * stiffness * after.elastic[k].powi(2);
        }
        losses.stored = after.energy - strain.energy;
        losses.friction = -(1..D).map(|k| r[k] * u[k]).sum::<f64>();
        let touches = r.iter().any(|&x| x != 0.0);
        for k in 1..D {
            after.plastic[k] += h * u[k];
        }
        // opening under a pull and crushing stay; what opens because it slips under pressure may close again
        let pulled = strain.bonded && r[0] < 0.0;
        let crushed = !pulled && touches && u[0] < 0.0;
        let climbs = !pulled && touches && u[0] > 0.0 && self.keeps_opening;
        if pulled || crushed || climbs {
            after.plastic[0] += h * u[0];
            losses.plastic = -r[0] * u[0];
        }
        if crushed {
            after.crushed -= h * u[0];
        } else if pulled || climbs {
            after.opened = (after.opened + h * u[0]).max(0.0);
        }
        let rebonds = !strain.bonded && self.bonds == Bonds::Touch && self.surface.cohesion() > 0.0;
        if strain.bonded && self.softening.at(after.wear()) == 0.0 {
            // what was crushed stays so
            let crushed = after.plastic[0].min(0.0);
            (after.bonded, after.opened, after.plastic) = (false, 0.0, Vector::zeros());
            after.plastic[0] = crushed;
        } else if rebonds && r[0] > 0.0 {
            (after.bonded, after.opened) = (true, 0.0);
            after.plastic.iter_mut().skip(1).for_each(|slip| *slip = 0.0);
        }
        if !touches && !after.bonded {
            // the contact opens, and forgets
            after = Strain::default();
        }
        (after, losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_straight_between_points() {
        let table = Table::new(vec![(0.0, 1.0), (1.0, 3.0), (2.0, 0.0)]).unwrap();
        let found: Vec<f64> = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0].iter().map(|&way| table.at(way)).collect();
        assert_eq!(found, [1.0, 1.0, 2.0, 3.0, 1.5, 0.0, 0.0]);
        assert_eq!(Table::default().at(3.0), 1.0);
        assert!(Table::new(vec![(1.0, 1.0), (1.0, 0.0)]).unwrap_err().contains("rise"));
        assert!(Table::new(vec![(-1.0, 1.0)]).unwrap_err().contains("at least 0"));
        let brittle = Table::until(1e-3).unwrap();
        assert_eq!((brittle.at(9e-4), brittle.at(1.1e-3)), (1.0, 0.0));
    }

    #[test]
    fn interfaces_without_sense_are_refused() {
        let base = Interface::default;
        let cases = [
            (Interface { stiffness_n: -1.0, ..base() }, "stiffness_n = -1"),
            (Interface { stiffness_t: 0.0, ..base() }, "stiffness_t = 0"),
            (Interface { damping: f64::NAN, ..base() }, "damping = NaN"),
            (Interface { surface: Surface::Cohesive { cohesion: -1.0 }, ..base() }, "cohesion = -1"),
            (Interface { surface: Surface::Capped { cohesion: 2.0, cap: 1.0 }, ..base() }, "a cap below"),
            (Interface { dilatancy: Some(0.7), ..base() }, "between 0 and mu"),
            (
                Interface { dilatancy: Some(0.1), surface: Surface::Rounded { cohesion: 1.0 }, ..base() },
                "associated",
            ),
            (Interface { bonds: Bonds::Start { within: -1.0 }, ..base() }, "within a gap of -1"),
            (Interface { bonds: Bonds::Start { within: 0.0 }, ..base() }, "no cohesion"),
            (Interface { softening: Table::until(1e-3).unwrap(), ..base() }, "no cohesion"),
            (Interface { hardening: Table::new(vec![(0.0, 1.0)]).unwrap(), ..base() }, "no cap"),
            (
                Interface { surface: Surface::Cohesive { cohesion: f64::INFINITY }, ..base() },
                "cohesion = inf",
            ),
            (Interface { surface: Surface::Capped { cohesion: 0.0, cap: 0.0 }, ..base() }, "cap = 0"),
        ];
        for (interface, words) in cases {
            let fault = interface.fault(0.5).unwrap();
            assert!(fault.contains(words), "{fault}");
        }
        assert_eq!(base().fault(0.5), None);
    }
}
