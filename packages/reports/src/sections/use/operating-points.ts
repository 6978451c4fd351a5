import type { EvaluationResult, OperatingRule } from '@medloom/contracts'
import { type Block, type Cell, numeric, paragraph, table } from '../../document/document.js'
import { metricName } from '../../document/metric-names.js'
import { DASH, formatCount, formatUnit } from '../../document/numbers.js'
import { withInterval } from '../interval-cells.js'

type OperatingPoints = NonNullable<EvaluationResult['operating_points']>
type Point = OperatingPoints['points'][number]

const MEASURES = ['sensitivity', 'specificity', 'ppv', 'npv', 'accuracy']

/** Thresholds by rule with their results on these cases; the reason if validation cannot satisfy a rule. */
export function operatingPointBlocks({ points }: OperatingPoints, result: EvaluationResult): Block[] {
  if (points.length === 0) return []
  const found = points.filter(({ threshold }) => threshold !== null)
  const none = points.filter(({ threshold }) => threshold === null)
  return [
    { kind: 'heading', text: 'Operating points' },
    ...(found.length > 0
      ? [
          paragraph(
            `Thresholds for "${result.positive_class ?? ''}", each chosen on the validation split by a rule and applied unchanged to these cases. The target of a rule was reached on the validation split and may not be reached here. The threshold of the model is ${formatUnit(result.threshold)}.`,
          ),
          metricsTable(found),
          countsTable(found),
        ]
      : []),
    ...(none.length > 0
      ? [
          {
            kind: 'list' as const,
            items: none.map(({ rule, reason }) => `${ruleName(rule)}: no threshold, ${reason ?? DASH}.`),
          },
        ]
      : []),
  ]
}

function metricsTable(points: readonly Point[]) {
  return table(
    'Operating points: estimate (95% CI)',
    ['Rule', numeric('Threshold'), ...MEASURES.map((key) => numeric(metricName(key).label))],
    points.map(({ rule, threshold, metrics }): Cell[] => [
      ruleName(rule),
      formatUnit(threshold),
      ...MEASURES.map((key) => withInterval(key, metrics?.[key]?.estimate, metrics?.[key])),
    ]),
    [...new Set(points.flatMap(remarks))],
  )
}

/** Cautions, and the reasons for undefined shares. */
function remarks({ metrics }: Point): string[] {
  return Object.entries(metrics ?? {}).flatMap(([key, { reason, caution }]) =>
    reason
      ? [`${metricName(key).label}: ${reason}.`]
      : caution
        ? [`The intervals are not reliable: ${caution}.`]
        : [],
  )
}

function countsTable(points: readonly Point[]) {
  return table(
    'Operating points: counts on these cases, and validation results',
    [
      'Rule',
      numeric('True positive'),
      numeric('False positive'),
      numeric('False negative'),
      numeric('True negative'),
      numeric('Sensitivity, validation'),
      numeric('Specificity, validation'),
    ],
    points.map(({ rule, confusion, validation }): Cell[] => [
      ruleName(rule),
      formatCount(confusion?.true_positive),
      formatCount(confusion?.false_positive),
      formatCount(confusion?.false_negative),
      formatCount(confusion?.true_negative),
      formatUnit(validation?.sensitivity),
      formatUnit(validation?.specificity),
    ]),
  )
}

/** `Sensitivity at least 0.9`: name of a rule for readers. */
export function ruleName(rule: OperatingRule): string {
  if (rule.rule === 'youden') return "Youden's J"
  if (rule.rule === 'cost')
    return `Lowest cost, false negative : false positive = ${rule.false_negative} : ${rule.false_positive}`
  return `${metricName(rule.rule).label} at least ${rule.at_least}`
}
