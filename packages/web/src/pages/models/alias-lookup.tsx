import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { routeQuery } from '../../app/service'
import { Button } from '../../components/button'
import { ComboField } from '../../components/combo-field'
import { FactList } from '../../components/fact-list'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { TextButton } from '../../components/text-button'
import { NONE, useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { AliasHistoryDialog } from './alias-history-dialog'
import { EvaluationLink, ModelLink } from './alias-links'
import styles from './aliases.module.css'

interface Question {
  readonly alias: string
  readonly day: string
}

/** Form for the model that an alias named on a day, with its history: the alias may have been removed since. */
export function AliasLookup({ known }: { readonly known: readonly string[] }) {
  const t = useText(text)
  const [alias, setAlias] = useState('')
  const [day, setDay] = useState('')
  const [question, setQuestion] = useState<Question | null>(null)
  const ask = (event: FormEvent) => {
    event.preventDefault()
    if (alias !== '' && day !== '') setQuestion({ alias, day })
  }
  return (
    <form className={styles.lookup} aria-label={t('alias.lookup')} onSubmit={ask}>
      <div className={styles.alias}>
        <ComboField label={t('alias.nameNowOrThen')} options={known} value={alias} onChange={setAlias} />
      </div>
      <TextField label={t('alias.day')} type="date" value={day} onChange={setDay} />
      <Button type="submit" icon="search" isDisabled={alias === '' || day === ''}>
        {t('alias.find')}
      </Button>
      <div className={styles.answer} aria-live="polite">
        {question && <Answer {...question} />}
      </div>
    </form>
  )
}

function Answer({ alias, day }: Question) {
  const t = useText(text)
  const format = useFormatters()
  const [isOpen, setOpen] = useState(false)
  const move = useQuery(routeQuery('getAlias', { alias, at: endOf(day) }))
  if (move.isError) return <Problem error={move.error} />
  if (!move.data) return null
  const { set_at, set_by, until, note } = move.data
  return (
    <>
      <FactList
        label={t('alias.answer', { alias, day })}
        facts={[
          [t('alias.answer', { alias, day }), <ModelLink key="model" move={move.data} />],
          [t('evaluation.choose'), <EvaluationLink key="evaluation" move={move.data} />],
          [t('alias.setAt'), format.moment(set_at)],
          [t('alias.setBy'), set_by ?? NONE],
          [t('alias.until'), until === null ? t('alias.now') : format.moment(until)],
          [t('alias.note'), note ?? NONE],
        ]}
      />
      <TextButton onPress={() => setOpen(true)}>{t('alias.all')}</TextButton>
      {isOpen && <AliasHistoryDialog alias={alias} onClose={() => setOpen(false)} />}
    </>
  )
}

/** End of a day in the time zone of the reader, so that changes on this day count. */
function endOf(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString()
}
