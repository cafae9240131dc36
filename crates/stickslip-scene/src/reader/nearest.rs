//! The valid name that is nearest to a wrong one.

/// The known name that takes the fewest changes of letters, if those are few.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (wrong.chars().count() / 3).max(1) + 1;
    known
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Letters to insert, remove, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let swapped = if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        table[i - 2][j - 2] + 1
                    } else {
                        usize::MAX
                    };
                    replaced.min(swapped).min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                }
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_found_and_strangers_are_not() {
        let known = ["radius", "density", "material", "at"];
        assert_eq!(nearest("raduis", known), Some("radius"));
        assert_eq!(nearest("densty", known), Some("density"));
        assert_eq!(nearest("xyzzy", known), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
