import type { RecipeProposal } from '@medloom/contracts'
import { useState } from 'react'
import { Button } from '../../../components/button'
import { Panel } from '../../../components/panel'
import { ServiceText } from '../../../components/service-text'
import { data as text } from '../../../text/data'
import { useText } from '../../../text/use-text'
import type { InspectRequest } from '../inspect-request'
import { Evidence } from './evidence'
import {
  adoptedRequest,
  answerable,
  answeredRequest,
  answersOf,
  notes,
  type ProposalRequest,
  recipeYaml,
  trainingSettings,
} from './proposal'
import styles from './proposal.module.css'
import { Questions } from './questions'
import { RecipeText } from './recipe-text'

/** How the files belong together: the resulting table, open questions, the evidence, and the recipe. */
export function ProposalView({
  proposal,
  request,
  onPropose,
  onInspect,
}: {
  readonly proposal: RecipeProposal
  readonly request: ProposalRequest
  readonly onPropose: (request: ProposalRequest) => void
  readonly onInspect: (request: InspectRequest) => void
}) {
  const t = useText(text)
  const given = answersOf(request)
  const [answers, setAnswers] = useState(given)
  const questions = answerable(proposal, given)
  const remarks = notes(proposal)
  const open = questions.filter(({ message, isDecided }) => message !== undefined && !isDecided).length
  const changes = questions.filter(({ key }) => answers[key] !== given[key]).length
  return (
    <>
      <Panel title={t('proposal.title')}>
        <Summary proposal={proposal} />
        <div className={styles.adopt}>
          <Button
            kind={changes > 0 ? 'plain' : 'primary'}
            isDisabled={changes > 0}
            onPress={() => onInspect(adoptedRequest(proposal))}
          >
            {t('proposal.adopt')}
          </Button>
          <span role="status">{hint()}</span>
        </div>
        <RecipeText yaml={recipeYaml(proposal)} />
      </Panel>
      {questions.length > 0 && (
        <Panel title={t('proposal.questions')}>
          <Questions questions={questions} answers={answers} onChange={setAnswers} />
          <div>
            <Button
              kind={changes > 0 ? 'primary' : 'plain'}
              isDisabled={changes === 0}
              onPress={() => onPropose(answeredRequest(request.path, answers))}
            >
              {t('proposal.update')}
            </Button>
          </div>
        </Panel>
      )}
      {remarks.length > 0 && (
        <Panel title={t('proposal.notes')}>
          <ul className={styles.notes}>
            {remarks.map(({ key, message, message_phrases: phrases }) => (
              <li key={`${key} ${message}`}>
                <ServiceText english={message} phrases={phrases} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {proposal.reasons.length > 0 && (
        <Panel title={t('proposal.evidence')}>
          <Evidence reasons={proposal.reasons} />
        </Panel>
      )}
    </>
  )

  function hint(): string {
    if (changes > 0) return t('proposal.changed')
    return open > 0 ? t('proposal.open', { count: open }) : ''
  }
}

function Summary({ proposal }: { readonly proposal: RecipeProposal }) {
  const t = useText(text)
  const { rows, columns, template } = proposal
  const settings = trainingSettings(proposal)
  return (
    <div className={styles.summary}>
      <p>
        {t('proposal.summary', { rows, columns: columns.length })}
        {template && ` ${t('proposal.layout', { title: template.title })}`}
      </p>
      {template && <p className={styles.soft}>{template.source}</p>}
      <p className={styles.soft}>{t('proposal.lead')}</p>
      {settings.length > 0 && (
        <>
          <p>{t('proposal.settings')}</p>
          <ul>
            {settings.map(([key, value]) => (
              <li key={key}>
                <code>{`data.${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
