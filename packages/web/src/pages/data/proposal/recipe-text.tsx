import { CopyButton } from '../../../components/copy-button'
import { TextBlock } from '../../../components/text-block'
import { data as text } from '../../../text/data'
import { useText } from '../../../text/use-text'
import styles from './proposal.module.css'

/** A recipe as YAML, closed until it is requested. */
export function RecipeText({ yaml }: { readonly yaml: string }) {
  const t = useText(text)
  return (
    <details className={styles.recipe}>
      <summary>{t('recipe.show')}</summary>
      <TextBlock label={t('recipe.title')} text={yaml} />
      <div>
        <CopyButton text={yaml}>{t('recipe.copy')}</CopyButton>
      </div>
    </details>
  )
}
