import { Label, Radio, RadioGroup } from 'react-aria-components'
import { Select } from '../../../components/select'
import { useServiceText } from '../../../components/service-text'
import { data as text } from '../../../text/data'
import { useText } from '../../../text/use-text'
import { type Answerable, type Answers, NO_COLUMN, RULES } from './proposal'
import styles from './proposal.module.css'

const OPEN = ''
/** More choices are a list that opens. */
const MOST_RADIOS = 6

/** Each question with its possible answers; the first one leaves it open, or decides it as a published layout does. */
export function Questions({
  questions,
  answers,
  onChange,
}: {
  readonly questions: readonly Answerable[]
  readonly answers: Answers
  readonly onChange: (answers: Answers) => void
}) {
  return (
    <ul className={styles.questions}>
      {questions.map((question) => (
        <li key={question.key} className={styles.question}>
          <Question question={question} answers={answers} onChange={onChange} />
        </li>
      ))}
    </ul>
  )
}

function Question({
  question,
  answers,
  onChange,
}: {
  readonly question: Answerable
  readonly answers: Answers
  readonly onChange: (answers: Answers) => void
}) {
  const t = useText(text)
  const labels = useLabels(question)
  const { key, isDecided } = question
  const first = (isDecided && question.choices[0]) || OPEN
  const choices = [...(isDecided ? [] : [OPEN]), ...question.choices].map((choice) => ({
    value: choice,
    label: choice === OPEN ? t('proposal.leaveOpen') : labels.choice(choice),
  }))
  const value = answers[key] ?? first
  const change = (answer: string) => {
    const { [key]: _, ...others } = answers
    onChange(answer === first ? others : { ...others, [key]: answer })
  }
  return choices.length > MOST_RADIOS + 1 ? (
    <Select label={labels.question} choices={choices} value={value} onChange={change} />
  ) : (
    <RadioGroup className={styles.radios ?? ''} value={value} onChange={change}>
      <Label className={styles.asked ?? ''}>{labels.question}</Label>
      {choices.map((choice) => (
        <Radio key={choice.value} value={choice.value} className={styles.radio ?? ''}>
          <bdi>{choice.label}</bdi>
        </Radio>
      ))}
    </RadioGroup>
  )
}

/** Labels of a question and of its choices: columns and options of layouts as they are, rules by their meaning. */
function useLabels({ key, message, message_phrases: phrases, choices, choices_phrases }: Answerable) {
  const t = useText(text)
  const words = useServiceText()
  const known = (['label', 'patient', 'rows'] as const).find((one) => one === key)
  return {
    question: message === undefined ? (known ? t(`proposal.answer.${known}`) : key) : words(message, phrases),
    choice(choice: string): string {
      if (choice === NO_COLUMN) return t('proposal.noPatients')
      const rule = key === 'rows' && RULES.find((one) => one === choice)
      if (rule) return t(`proposal.rule.${rule}`)
      const phrase = choices_phrases?.[choices.indexOf(choice)]
      return words(choice, phrase && [phrase])
    },
  }
}
