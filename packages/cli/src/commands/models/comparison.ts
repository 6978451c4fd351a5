import { AGREEMENTS, type Agreement, type ComparisonDocument, type RouteResponse } from '@medloom/contracts'
import { Option } from 'commander'
import { type AddCommand, wholeNumber } from '../../command.js'
import { type ConnectionOptions, connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { number, shortId } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { comparisonLines } from './compare.js'

interface ComparisonOptions extends ConnectionOptions {
  cases?: Agreement
  limit: number
  json?: boolean
}

export const addComparison: AddCommand = (parent) =>
  parent
    .add('comparison')
    .description('show an earlier comparison, or cases by the correctness of its first two models')
    .argument('<comparison>', 'comparison id, as printed by "models compare"')
    .addOption(
      new Option(
        '--cases <which>',
        'list these cases with their line in the table and the prediction of each model',
      ).choices(AGREEMENTS),
    )
    .option('--limit <n>', 'list at most this many cases', wholeNumber, 50)
    .example(
      'medloom models comparison 3be0c1de-4f57-4c9e-9d3b-1f2a60d1f4a7',
      'medloom models comparison 3be0c1de-4f57-4c9e-9d3b-1f2a60d1f4a7 --cases only_first',
    )
    .action(async (comparison_id: string, _, command) => {
      const options = command.optsWithGlobals() as ComparisonOptions
      const client = connect(options)
      if (options.cases === undefined)
        return print(options, await client.getComparison({ comparison_id }), comparisonDocumentPage)
      const agreement = options.cases
      const page = await listUpTo(options.limit, 'cases', (query) =>
        client.listComparedCases({ comparison_id, agreement, ...query }),
      )
      print(options, page, comparedCasesPage)
    })

/** Text output of a stored comparison. */
export function comparisonDocumentPage({ comparison_id, models, result }: ComparisonDocument): string {
  const evaluations = new Map(models.map(({ name, test_evaluations }) => [name, test_evaluations]))
  const [first] = models
  const counted = result.models.map((model) => ({
    ...model,
    test_evaluations: evaluations.get(model.name) ?? 0,
  }))
  return [
    ...comparisonLines({ ...result, comparison_id, models: counted }),
    ...(first
      ? [`report: medloom jobs download ${shortId(first.job_id)} comparisons/${comparison_id}/report.html`]
      : []),
  ].join('\n')
}

function comparedCasesPage({ cases, next_page_token }: RouteResponse<'listComparedCases'>): string {
  if (cases.length === 0) return 'No matching cases.'
  const rows = cases.map(({ row, truth, first, second }) => [
    String(row),
    truth,
    ...[first, second].flatMap(({ predicted, confidence }) => [predicted ?? '', number(confidence)]),
  ])
  const head = ['line', 'truth', 'first', 'confidence', 'second', 'confidence']
  return formatTable(head, rows) + (next_page_token ? '\nThere are more; use --limit.' : '')
}
