/** Verdicts on results, which the reports and the page show in the same way. */

/** Returns true if the coverage of prediction sets or intervals is significantly below the target: its whole 95% CI is. */
export function isCoverageMissed(coverage: { readonly high: number | null }, alpha: number): boolean {
  return coverage.high !== null && coverage.high < 1 - alpha
}

/** A temperature above 1 makes probabilities less extreme: the model was overconfident. */
export function isOverconfident(temperature: number): boolean {
  return temperature > 1
}

/** Significance at the level of the 95% CIs. */
export function isSignificant(p: number): boolean {
  return p < 0.05
}
