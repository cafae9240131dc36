//! Friction and restitution by pairs of materials.

use super::{Attraction, Interface};
use std::collections::HashMap;

/// How two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Friction coefficient. Default 0.5.
    pub mu: f64,
    /// Normal restitution, in [0, 1]. Default 0.
    pub e_n: f64,
    /// Tangential restitution, in [−1, 1]. Default 0.
    pub e_t: f64,
    /// Resistance to rolling: couple over normal force and radius. Default 0.
    pub rolling: f64,
    /// Resistance to spinning about the normal, likewise. Default 0.
    pub spinning: f64,
}

impl Material {
    pub(crate) fn resists_rolling(&self) -> bool {
        self.rolling > 0.0 || self.spinning > 0.0
    }
}

impl Default for Material {
    fn default() -> Self {
        Material { mu: 0.5, e_n: 0.0, e_t: 0.0, rolling: 0.0, spinning: 0.0 }
    }
}

/// A material, or a pair of them, that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// Not defined.
    #[error("there is no material \"{name}\"; define it first")]
    Name {
        /// what was asked for
        name: String,
    },
    /// A value out of range.
    #[error("{what} = {value}: {allowed}")]
    Value {
        /// which
        what: &'static str,
        /// the value
        value: f64,
        /// what would do
        allowed: &'static str,
    },
    /// An interface or an attraction that cannot be.
    #[error("{what} of \"{a}\" and \"{b}\": {fault}")]
    Pair {
        /// which
        what: &'static str,
        /// a material
        a: String,
        /// the other
        b: String,
        /// what is wrong
        fault: String,
    },
}

/// The materials of a world. The first is the default one, without a name.
#[derive(Clone, Debug)]
pub struct Materials {
    names: Vec<String>,
    own: Vec<Material>,
    pairs: HashMap<(u32, u32), Material>,
    interfaces: Vec<Interface>,
    interface_of: HashMap<(u32, u32), u32>,
    attractions: HashMap<(u32, u32), Attraction>,
}

impl Default for Materials {
    fn default() -> Self {
        Materials {
            names: vec![String::new()],
            own: vec![Material::default()],
            pairs: HashMap::new(),
            interfaces: Vec::new(),
            interface_of: HashMap::new(),
            attractions: HashMap::new(),
        }
    }
}

impl Materials {
    /// Defines a material by how it touches itself, or changes it; the name "" is that of bodies without one.
    pub fn define(&mut self, name: &str, material: Material) -> Result<(), MaterialError> {
        check(&material)?;
        match self.find(name) {
            Some(known) => self.own[known as usize] = material,
            None => {
                self.names.push(name.to_string());
                self.own.push(material);
            }
        }
        Ok(())
    }

    /// Defines how two materials touch; without it the means of both are taken, the square root of μ μ' for friction.
    pub fn define_pair(&mut self, a: &str, b: &str, material: Material) -> Result<(), MaterialError> {
        check(&material)?;
        let pair = self.find_pair(a, b)?;
        self.pairs.insert(pair, material);
        Ok(())
    }

    /// Defines how two materials give way, yield and break where they touch; they must have their friction already.
    pub fn define_interface(&mut self, a: &str, b: &str, interface: Interface) -> Result<(), MaterialError> {
        let pair = self.find_pair(a, b)?;
        if let Some(fault) = interface.fault(self.pair(pair.0, pair.1).mu) {
            return Err(MaterialError::Pair { what: "interface", a: a.into(), b: b.into(), fault });
        }
        self.interface_of.insert(pair, self.interfaces.len() as u32);
        self.interfaces.push(interface);
        Ok(())
    }

    /// Defines how two materials pull at each other.
    pub fn define_attraction(
        &mut self,
        a: &str,
        b: &str,
        attraction: Attraction,
    ) -> Result<(), MaterialError> {
        let pair = self.find_pair(a, b)?;
        if let Some(fault) = attraction.fault() {
            return Err(MaterialError::Pair { what: "attraction", a: a.into(), b: b.into(), fault });
        }
        self.attractions.insert(pair, attraction);
        Ok(())
    }

    /// The pull between two materials.
    pub fn attraction(&self, a: u32, b: u32) -> Option<&Attraction> {
        self.attractions.get(&(a.min(b), a.max(b)))
    }

    /// Whether any contact resists rolling.
    pub(crate) fn resist_rolling(&self) -> bool {
        self.own.iter().chain(self.pairs.values()).any(Material::resists_rolling)
    }

    /// Whether any materials pull at each other.
    pub(crate) fn attract(&self) -> bool {
        !self.attractions.is_empty()
    }

    fn find_pair(&self, a: &str, b: &str) -> Result<(u32, u32), MaterialError> {
        let find = |name: &str| self.find(name).ok_or_else(|| MaterialError::Name { name: name.into() });
        let (a, b) = (find(a)?, find(b)?);
        Ok((a.min(b), a.max(b)))
    }

    /// The number of the interface between two materials; `None` where they touch rigidly.
    #[inline]
    pub fn interface_between(&self, a: u32, b: u32) -> Option<u32> {
        if self.interfaces.is_empty() {
            return None;
        }
        self.interface_of.get(&(a.min(b), a.max(b))).copied()
    }

    /// An interface by its number.
    pub fn interface(&self, number: u32) -> &Interface {
        &self.interfaces[number as usize]
    }

    /// Every interface with the friction of its pair, in the order of their definition.
    pub(crate) fn interfaces(&self) -> Vec<(&Interface, f64)> {
        let mut pairs: Vec<_> = self.interface_of.iter().collect();
        pairs.sort_by_key(|(_, number)| **number);
        pairs.iter().map(|((a, b), number)| (self.interface(**number), self.pair(*a, *b).mu)).collect()
    }

    /// The widest gap at which bodies pull at each other.
    pub(crate) fn widest_pull(&self) -> f64 {
        self.attractions.values().map(Attraction::range).fold(0.0, f64::max)
    }

    /// The widest gap at which bonds begin.
    pub(crate) fn widest_start(&self) -> f64 {
        self.interfaces.iter().map(Interface::widest_start).fold(0.0, f64::max)
    }

    /// The number of a material.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|known| known == name).map(|k| k as u32)
    }

    /// The names, for messages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str).filter(|name| !name.is_empty())
    }

    /// How two materials touch.
    pub fn pair(&self, a: u32, b: u32) -> Material {
        if let Some(pair) = self.pairs.get(&(a.min(b), a.max(b))) {
            return *pair;
        }
        let (p, q) = (&self.own[a as usize], &self.own[b as usize]);
        if a == b {
            return *p;
        }
        Material {
            mu: (p.mu * q.mu).sqrt(),
            e_n: 0.5 * (p.e_n + q.e_n),
            e_t: 0.5 * (p.e_t + q.e_t),
            rolling: 0.5 * (p.rolling + q.rolling),
            spinning: 0.5 * (p.spinning + q.spinning),
        }
    }
}

/// A closing speed is told from a slip speed times this by as many digits as a tolerance has.
const MOST_FRICTION: f64 = 1e6;

fn check(material: &Material) -> Result<(), MaterialError> {
    let refuse = |what, value, allowed| Err(MaterialError::Value { what, value, allowed });
    if !(material.mu >= 0.0 && material.mu.is_finite()) {
        return refuse("mu", material.mu, "friction coefficients are at least 0");
    }
    if material.mu > MOST_FRICTION {
        return refuse(
            "mu",
            material.mu,
            "beyond a million nothing slips that has fifteen digits; join the bodies",
        );
    }
    if !(0.0..=1.0).contains(&material.e_n) {
        return refuse("e_n", material.e_n, "normal restitution lies between 0 and 1");
    }
    for (what, value) in [("rolling", material.rolling), ("spinning", material.spinning)] {
        if !(value >= 0.0 && value.is_finite()) {
            return refuse(what, value, "resistance to rolling and spinning is at least 0");
        }
    }
    if !(-1.0..=1.0).contains(&material.e_t) {
        return refuse("e_t", material.e_t, "tangential restitution lies between -1 and 1");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_before_means() {
        let mut materials = Materials::default();
        materials.define("steel", Material { mu: 0.2, e_n: 0.8, ..Default::default() }).unwrap();
        materials.define("ice", Material { mu: 0.05, ..Default::default() }).unwrap();
        let (steel, ice) = (materials.find("steel").unwrap(), materials.find("ice").unwrap());
        assert_eq!(materials.pair(steel, ice), Material { mu: 0.1, e_n: 0.4, ..Default::default() });
        materials.define_pair("ice", "steel", Material { mu: 0.3, ..Default::default() }).unwrap();
        assert_eq!(materials.pair(steel, ice).mu, 0.3);
        assert_eq!(materials.pair(ice, steel).mu, 0.3);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let mut materials = Materials::default();
        for (material, what) in [
            (Material { mu: -0.1, ..Default::default() }, "mu"),
            (Material { mu: f64::NAN, ..Default::default() }, "mu"),
            (Material { mu: 1e8, ..Default::default() }, "mu"),
            (Material { e_n: 1.1, ..Default::default() }, "e_n"),
            (Material { e_t: -2.0, ..Default::default() }, "e_t"),
            (Material { rolling: -0.1, ..Default::default() }, "rolling"),
            (Material { spinning: f64::NAN, ..Default::default() }, "spinning"),
        ] {
            assert!(materials.define("x", material).unwrap_err().to_string().contains(what));
        }
        assert!(materials.define_pair("x", "y", Material::default()).is_err());
    }
}
