//! Friction and restitution by pairs of materials.

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
}

impl Default for Material {
    fn default() -> Self {
        Material { mu: 0.5, e_n: 0.0, e_t: 0.0 }
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
}

/// The materials of a world. The first is the default one, without a name.
#[derive(Clone, Debug)]
pub struct Materials {
    names: Vec<String>,
    own: Vec<Material>,
    pairs: HashMap<(u32, u32), Material>,
}

impl Default for Materials {
    fn default() -> Self {
        Materials { names: vec![String::new()], own: vec![Material::default()], pairs: HashMap::new() }
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
        let find = |name: &str| self.find(name).ok_or_else(|| MaterialError::Name { name: name.into() });
        let (a, b) = (find(a)?, find(b)?);
        self.pairs.insert((a.min(b), a.max(b)), material);
        Ok(())
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
        Material { mu: (p.mu * q.mu).sqrt(), e_n: 0.5 * (p.e_n + q.e_n), e_t: 0.5 * (p.e_t + q.e_t) }
    }
}

fn check(material: &Material) -> Result<(), MaterialError> {
    let refuse = |what, value, allowed| Err(MaterialError::Value { what, value, allowed });
    if !(material.mu >= 0.0 && material.mu.is_finite()) {
        return refuse("mu", material.mu, "friction coefficients are at least 0");
    }
    if !(0.0..=1.0).contains(&material.e_n) {
        return refuse("e_n", material.e_n, "normal restitution lies between 0 and 1");
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
        materials.define("steel", Material { mu: 0.2, e_n: 0.8, e_t: 0.0 }).unwrap();
        materials.define("ice", Material { mu: 0.05, e_n: 0.0, e_t: 0.0 }).unwrap();
        let (steel, ice) = (materials.find("steel").unwrap(), materials.find("ice").unwrap());
        assert_eq!(materials.pair(steel, ice), Material { mu: 0.1, e_n: 0.4, e_t: 0.0 });
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
            (Material { e_n: 1.1, ..Default::default() }, "e_n"),
            (Material { e_t: -2.0, ..Default::default() }, "e_t"),
        ] {
            assert!(materials.define("x", material).unwrap_err().to_string().contains(what));
        }
        assert!(materials.define_pair("x", "y", Material::default()).is_err());
    }
}
