/** Maximum number of facts in a row of the summary. */
const MOST = 4

/** Rows of the summary with at most four facts each. The lengths of rows differ by at most one and fill the width, so no cell is empty. */
export function summaryRows<Fact>(facts: readonly Fact[]): Fact[][] {
  const count = Math.ceil(facts.length / MOST)
  const rows: Fact[][] = []
  let from = 0
  for (let row = 0; row < count; row++) {
    const size = Math.ceil((facts.length - from) / (count - row))
    rows.push(facts.slice(from, from + size))
    from += size
  }
  return rows
}
