import type { RecipeProposal } from '@medloom/contracts'
import { Label, Radio, RadioGroup } from 'react-aria-components'
import { Select } from '../../../components/select'
import { ServiceText, useServiceText } from '../../../components/service-text'
import { data as text } from '../../../text/data'
import { useText } from '../../../text/use-text'
import { type Answerable, type Answers, RULES } from './proposal'
import styles from './proposal.module.css'

const OPEN = ''
/** More choices are a list that opens. */
const MOST_RADIOS = 6

/** Each question with its possible answers; the first one leaves it open. */
export function Questions({
  questions,
  decisions,
  answers,
  onChange,
}: {
  readonly questions: readonly Answerable[]
  /** Decisions that the recipe of a published layout contains. */
  readonly decisions: readonly RecipeProposal['questions'][number][]
  readonly answers: Answers
  readonly onChange: (answers: Answers) => void
}) {
  const t = useText(text)
  return (
    <ul className={styles.questions}>
      {questions.map((question) => (
        <li key={question.key} className={styles.question}>
          <Question
            question={question}
            value={answers[question.key] ?? OPEN}
            onChange={(answer) => onChange(answered(answers, question.key, answer))}
          />
        </li>
      ))}
      {decisions.map(({ key, message, message_phrases: phrases, choices }) => (
        <li key={`${key} ${message}`} className={styles.question}>
          <p className={styles.asked}>
            <ServiceText english={message} phrases={phrases} />
          </p>
          <ul lang="en">
            {choices.map((choice) => (
              <li key={choice}>{choice}</li>
            ))}
          </ul>
          <p className={styles.soft}>{t('proposal.decided')}</p>
        </li>
      ))}
    </ul>
  )
}

function answered(answers: Answers, key: Answerable['key'], answer: string): Answers {
  const { [key]: _, ...others } = answers
  return answer === OPEN ? others : { ...others, [key]: answer }
}

function Question({
  question,
  value,
  onChange,
}: {
  readonly question: Answerable
  readonly value: string
  readonly onChange: (answer: string) => void
}) {
  const t = useText(text)
  const words = useServiceText()
  const { key, message, message_phrases: phrases } = question
  const label = message === undefined ? t(`proposal.answer.${key}`) : words(message, phrases)
  const choices = [OPEN, ...question.choices].map((choice) => ({ value: choice, label: labelOf(choice) }))
  return choices.length > MOST_RADIOS + 1 ? (
    <Select label={label} choices={choices} value={value} onChange={onChange} />
  ) : (
    <RadioGroup className={styles.radios ?? ''} value={value} onChange={onChange}>
      <Label className={styles.asked ?? ''}>{label}</Label>
      {choices.map((choice) => (
        <Radio key={choice.value} value={choice.value} className={styles.radio ?? ''}>
          <bdi>{choice.label}</bdi>
        </Radio>
      ))}
    </RadioGroup>
  )

  function labelOf(choice: string): string {
    if (choice === OPEN) return t('proposal.leaveOpen')
    const rule = key === 'rows' && RULES.find((known) => known === choice)
    return rule ? t(`proposal.rule.${rule}`) : choice
  }
}
