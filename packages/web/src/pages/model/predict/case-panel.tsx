import { useEffect, useRef } from 'react'
import { Problem } from '../../../components/problem'
import { Skeleton } from '../../../components/skeleton'
import { model as text } from '../../../text/model'
import { useText } from '../../../text/use-text'
import { PredictionResult } from '../prediction-result'
import { CaseForm } from './case-form'
import styles from './case-form.module.css'
import type { PredictedCase } from './use-predicted-case'

/** The form, and beside it the last prediction, so that a value can be changed and predicted again. */
export function CasePanel({ inputs, values, images, setValue, choose, remove, ...answer }: PredictedCase) {
  return (
    <div className={styles.columns}>
      {inputs.isError && <Problem error={inputs.error} />}
      {inputs.isPending && <Skeleton height={20} />}
      {inputs.data && (
        <CaseForm
          inputs={inputs.data}
          values={values}
          onChange={setValue}
          chosen={images}
          onFile={(column, file) => void choose(column, file)}
          onRemove={remove}
        />
      )}
      <Answer {...answer} />
    </div>
  )
}

function Answer({
  last,
  error,
  isPending,
  isChanged,
}: Pick<PredictedCase, 'last' | 'error' | 'isPending' | 'isChanged'>) {
  const t = useText(text)
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    // In a narrow window it is below the form.
    if (last) section.current?.scrollIntoView({ block: 'nearest' })
  }, [last])
  return (
    <section ref={section} className={styles.answer} aria-label={t('predict.answer')} aria-busy={isPending}>
      {error && <Problem error={error} />}
      <div role="status">
        {last ? (
          <PredictionResult found={last.found} />
        ) : (
          <p className={styles.soft}>{t('predict.noAnswer')}</p>
        )}
      </div>
      <p className={styles.changed} role="status">
        {isChanged && t('predict.changed')}
      </p>
    </section>
  )
}
