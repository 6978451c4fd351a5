import type { ErrorIssue } from '@medloom/contracts'
import { CopyButton } from '../../components/copy-button'
import { parseDraft } from '../../forms/draft'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { trainCommand } from './command'
import { setTrainingDraft, useTrainingDraft } from './draft-store'
import { StudyButton } from './study-button'
import styles from './train-page.module.css'
import { WorkflowButton } from './workflow-button'
import { YamlField } from './yaml-field'

/** The configuration as YAML text, with its export options. The form does not update while the text is invalid. */
export function YamlPanel({ issues }: { readonly issues: readonly ErrorIssue[] }) {
  const t = useText(train)
  const { name, draft } = useTrainingDraft()
  const broken =
    draft.error && t('yaml.broken', { line: String(draft.error.line ?? '?'), message: draft.error.message })
  return (
    <aside className={styles.yaml}>
      <YamlField
        label={t('yaml')}
        hint={t('yaml.hint')}
        value={draft.text}
        onChange={(text) => setTrainingDraft({ draft: parseDraft(text) })}
        error={broken ?? undefined}
        issues={issues}
      />
      <div className={styles.copies}>
        <CopyButton text={draft.text}>{t('copy.yaml')}</CopyButton>
        <CopyButton text={trainCommand(draft.text, name)}>{t('copy.command')}</CopyButton>
        <WorkflowButton />
        <StudyButton />
      </div>
    </aside>
  )
}
