import { counted, type Dataset, firstTexts, type Inspection, type WarningCode } from '@medloom/contracts'
import { UNKNOWN } from '../../terminal/format.js'
import { styleFor } from '../../terminal/style.js'
import { formatTable } from '../../terminal/table.js'
import { terminal } from '../../terminal/terminal.js'

export function datasetPage(dataset: Dataset): string {
  const texts = Object.keys(firstTexts(dataset.report)).join(', ')
  const report = texts ? `report      ${texts}\n` : ''
  const note = dataset.note ? `note        ${dataset.note}\n` : ''
  return `dataset     ${dataset.name}  (${dataset.dataset_id})\n${note}${report}${inspectionPage(dataset)}`
}

export function inspectionPage(found: Inspection): string {
  const columns = found.columns.map((column) => [
    column.name,
    column.role,
    String(column.missing),
    String(column.distinct),
    column.reason,
  ])
  return [
    `path        ${found.path}`,
    `kind        ${found.kind}`,
    `cases       ${found.num_cases}${found.num_patients === null ? '' : ` of ${counted(found.num_patients, 'patient')}`}`,
    `task        ${found.task ?? UNKNOWN}`,
    `classes     ${found.classes ? counts(found.classes.map(({ name, count }) => [name, count])) : UNKNOWN}`,
    ...(found.positive_class ? [`positive    ${found.positive_class}`] : []),
    ...labelLines(found),
    `splits      ${counts(Object.entries(found.splits))}`,
    ...volumeLines(found),
    ...maskLines(found),
    ...stepLines(found),
    ...pairLines(found),
    `readiness   ${readinessWord(found.readiness.status)}`,
    ...checkLines(found),
    '',
    formatTable(['column', 'role', 'missing', 'distinct', 'reason'], columns),
  ].join('\n')
}

/** The configuration keys that name the label, ready to copy. */
function labelLines({ task, columns, time_column, event_column }: Inspection): string[] {
  const labels = columns.filter(({ role }) => role === 'label').map(({ name }) => JSON.stringify(name))
  if (labels.length === 0) return []
  if (time_column && event_column)
    return [
      `label       data: { time_column: ${JSON.stringify(time_column)}, event_column: ${JSON.stringify(event_column)} }`,
    ]
  const named = task === 'multilabel' ? `label_columns: [${labels.join(', ')}]` : `label_column: ${labels[0]}`
  return [`label       data: { ${named} }`]
}

export function readinessWord(status: Inspection['readiness']['status']): string {
  const style = styleFor(terminal().stdout)
  if (status === 'ready') return style.green(status)
  return status === 'blocked' ? style.red(status) : style.yellow(status)
}

function checkLines({ readiness }: Inspection): string[] {
  return readiness.checks
    .filter((check) => check.status !== 'ready')
    .map((check) => {
      const hint = check.hint ? `\n         ${check.hint}` : ''
      return `${readinessWord(check.status)}: ${check.message} [${check.key}]${hint}`
    })
}

/** Slices that represent each volume: the dataset is ready, but a training does not read most of the volume. */
function volumeLines({ readiness }: Inspection): string[] {
  const check = readiness.checks.find(({ key }) => key === ('VOLUMES_AS_SLICES' satisfies WarningCode))
  return check ? [`volumes     ${check.message}`] : []
}

/** Files of a folder that are masks of its images. */
function maskLines({ readiness }: Inspection): string[] {
  const found = readiness.checks.filter(({ key, status }) => key === MASKS && status === 'ready')
  return found.map(({ message }) => `masks       ${message}`)
}
const MASKS: WarningCode = 'MASKS_SET_APART'

/** Steps of the recipe with their counts. A step in which something did not match is also a warning below. */
function stepLines({ readiness }: Inspection): string[] {
  const steps = readiness.checks.filter(({ key }) => key === 'recipe')
  return steps.map(({ message }, index) => `${index === 0 ? 'recipe' : '      '}      ${message}`)
}

/** Some rows and their images, so that a wrong join is seen. */
function pairLines({ readiness }: Inspection): string[] {
  const check = readiness.checks.find(({ key }) => key === 'joined_pairs')
  return check ? [`pairs       ${check.message}`] : []
}

function counts(entries: [string, number][]): string {
  return entries.map(([name, count]) => `${name} ${count}`).join(', ') || UNKNOWN
}
