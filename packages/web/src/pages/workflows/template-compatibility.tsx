import type { TemplateFit } from '@medloom/contracts'
import { IssueRemedy, IssueText } from '../../components/service-text'
import { Status } from '../../components/status'
import { useText } from '../../text/use-text'
import { workflows as text } from '../../text/workflows'
import styles from './workflows-page.module.css'

/** Compatibility of the selected dataset with a template, or the missing requirements and their remedies. */
export function TemplateCompatibility({ fit: { fits, missing } }: { readonly fit: TemplateFit }) {
  const t = useText(text)
  return (
    <div className={styles.fit}>
      <Status tone={fits ? 'good' : 'bad'}>{t(fits ? 'fit.yes' : 'fit.no')}</Status>
      {!fits && (
        <ul>
          {missing.map((issue) => (
            <li key={`${issue.path} ${issue.code} ${issue.message}`}>
              {issue.node !== undefined && <code>{issue.node}</code>} <IssueText issue={issue} />{' '}
              <span className={styles.soft}>
                <IssueRemedy issue={issue} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
