//! The concave hull of one item's fates: the only ones that a relaxation ever mixes.

/// From one fate of an item to the next on its hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// Value for each token more.
    pub slope: f64,
    /// Tokens more.
    pub cost: u32,
    /// The fate that it leads to.
    pub fate: u8,
}

/// The cheapest fate from `first` on; among equals the one of most value.
pub(crate) fn cheapest(costs: &[u32], values: &[f64], first: usize) -> Option<usize> {
    let mut best = None;
    for fate in first..costs.len() {
        if costs[fate] == super::UNAVAILABLE {
            continue;
        }
        best = match best {
            Some(known)
                if costs[known] < costs[fate]
                    || costs[known] == costs[fate] && values[known] >= values[fate] =>
            {
                best
            }
            _ => Some(fate),
        };
    }
    best
}

/// Appends the steps of the hull that begins at fate `from`, over the fates from `first` on that
/// cost at most `room` tokens more than it. Slopes fall strictly.
pub(crate) fn steps(
    costs: &[u32],
    values: &[f64],
    from: usize,
    first: usize,
    room: u64,
    out: &mut Vec<Step>,
) {
    let begin = out.len();
    let most = u64::from(costs[from]).saturating_add(room);
    let mut at = from;
    loop {
        let mut best: Option<(f64, usize)> = None;
        for fate in first..costs.len() {
            let cost = costs[fate];
            if cost <= costs[at] || cost == super::UNAVAILABLE || u64::from(cost) > most {
                continue;
            }
            let slope = (values[fate] - values[at]) / f64::from(cost - costs[at]);
            // Of fates on one line the farthest: one step instead of two with the same slope.
            let better = best.is_none_or(|(steepest, known)| {
                slope > steepest || slope == steepest && cost > costs[known]
            });
            if slope > 0.0 && better {
                best = Some((slope, fate));
            }
        }
        let Some((mut slope, fate)) = best else { return };
        let mut cost = costs[fate] - costs[at];
        // Rounding may bend the hull the wrong way by a hair: then the steps are one.
        while out.len() > begin
            && let Some(last) = out.last()
            && last.slope <= slope
        {
            cost += last.cost;
            out.pop();
            let before = out[begin..].last().map_or(from, |step| usize::from(step.fate));
            slope = (values[fate] - values[before]) / f64::from(cost);
        }
        out.push(Step { slope, cost, fate: fate as u8 });
        at = fate;
    }
}
