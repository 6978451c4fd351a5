import { METRICS, type MetricName } from '../metrics/catalogue.js'

/** Labels that start with a capital letter within a sentence too, because a person has the name. */
const OF_PEOPLE = /^(Brier|Hamming) /

/** Names of metrics within a message. */
export const METRIC_PHRASES = Object.fromEntries(
  Object.entries(METRICS).map(([name, { label }]) => [`metric_${name}`, withinSentence(label.en)]),
) as { readonly [Name in MetricName as `metric_${Name}`]: string }

/** `balanced accuracy`, but `AUROC`, `Uno's C` and `Brier score` as they are. */
function withinSentence(label: string): string {
  const isWord = /^[A-Z][a-z]+( |$)/.test(label)
  return isWord && !OF_PEOPLE.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}
