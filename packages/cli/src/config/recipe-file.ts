import { type RecipeProposal, titleInRecipe } from '@medloom/contracts'
import { Document, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml'

type Place = readonly (string | number)[]

const EPOCHS = 20
const MAX_BATCH = 32
const MIN_STEPS = 8

/**
 * A proposed recipe as a configuration in YAML, with a network and a training to start with. Each line of the recipe has a comment: the
 * evidence for it, else the title of its key. Open questions are above.
 */
export function recipeFile(proposal: RecipeProposal): string {
  const { path, recipe, settings, model, reasons, rows } = proposal
  const training = { epochs: EPOCHS, batch_size: batchFor(rows) }
  const document = new Document({ data: { train_csv: path, ...settings, recipe }, model, training })
  const evidence = new Map(reasons.map(({ key, message }) => [key, message]))
  explain(document.getIn(['data', 'recipe'], true) as Node, [], evidence)
  document.commentBefore = heading(proposal).join('\n')
  return document.toString({ lineWidth: 0 })
}

/** Power of two with several steps per epoch. */
function batchFor(cases: number): number {
  let size = MAX_BATCH
  while (size > 2 && cases / size < MIN_STEPS) size /= 2
  return size
}

function heading({ template, questions }: RecipeProposal): string[] {
  return [
    ' How the files become the table of a training. Check each line; nothing in it runs code.',
    ...(template ? [` Layout: ${template.title} (${template.source})`] : []),
    ...questions.map(({ message, choices }) =>
      [
        choices.length > 0 ? ' Open:' : ' Note:',
        message,
        ...(choices.length > 0 ? [choices.join(', ')] : []),
      ].join(' '),
    ),
  ]
}

/** Adds the comments of a part of the recipe. */
function explain(node: Node, place: Place, evidence: ReadonlyMap<string, string>): void {
  if (isMap(node))
    for (const { key, value } of (node as YAMLMap).items as Pair<Scalar<string>, Node | null>[]) {
      const inner = [...place, key.value]
      const comment = evidence.get(written(inner)) ?? titleInRecipe(inner)
      if (comment !== undefined && isScalar(value)) value.comment = ` ${comment}`
      else if (comment !== undefined) key.commentBefore = ` ${comment}`
      if (value) explain(value, inner, evidence)
    }
  if (isSeq(node))
    (node.items as Node[]).forEach((item, index) => {
      const inner = [...place, index]
      const comment = evidence.get(written(inner))
      if (comment !== undefined) item.commentBefore = ` ${comment}`
      explain(item, inner, evidence)
    })
}

/** `['images', 0, 'search']` as the trainer writes it: images[0].search. */
function written(place: Place): string {
  return place
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('')
}
