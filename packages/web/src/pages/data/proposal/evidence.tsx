import type { RecipeProposal } from '@medloom/contracts'
import { ServiceText } from '../../../components/service-text'
import { data as text } from '../../../text/data'
import { useText } from '../../../text/use-text'
import styles from './proposal.module.css'

type Reason = RecipeProposal['reasons'][number]
/** Parts in the order in which a recipe is applied; the rest is about the whole table. */
const PARTS = [
  'files',
  'missing',
  'join',
  'columns',
  'images',
  'patient',
  'label',
  'split',
  'rows',
  'views',
] as const
type Part = (typeof PARTS)[number] | 'whole'

/** Parts of the recipe with their evidence, and what the recipe does to the rows. */
export function Evidence({ reasons }: { readonly reasons: readonly Reason[] }) {
  const t = useText(text)
  return (
    <dl className={styles.evidence}>
      {byPart(reasons).map(([part, found]) => (
        <div key={part}>
          <dt>{t(`proposal.part.${part}`)}</dt>
          <dd>
            {found.map(({ key, message, message_phrases: phrases }) => (
              <p key={`${key} ${message}`}>
                <ServiceText english={message} phrases={phrases} />
              </p>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** images[0].search → images. */
function partOf(key: string): Part {
  const name = key.split(/[.[]/, 1)[0]
  return PARTS.find((part) => part === name) ?? 'whole'
}

function byPart(reasons: readonly Reason[]): readonly (readonly [Part, readonly Reason[]])[] {
  return [...PARTS, 'whole' as const]
    .map((part) => [part, reasons.filter(({ key }) => partOf(key) === part)] as const)
    .filter(([, found]) => found.length > 0)
}
