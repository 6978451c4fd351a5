import type { Dataset } from '@medloom/contracts'
import schema from '@medloom/contracts/study.schema.json'
import { useMemo } from 'react'
import { ConfigForm } from '../../forms/config-form'
import type { Draft } from '../../forms/document'
import { words } from '../../forms/field-view'
import type { Problems } from '../../forms/problems'
import { type Field, fieldsOf, leavesOf, pathOf, type Schema } from '../../forms/schema'
import { useContractText } from '../../text/contracts'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { DatasetChoice } from '../train/dataset-choice'
import { FIRST } from '../train/first'
import { BASE, SET_BY_STUDY } from '../train/study-document'

const LEFT_OUT = SET_BY_STUDY.map((key) => `${BASE}.${key}`)
const FIELDS = byTheStudy(
  leavesOf(fieldsOf(schema as Schema)).filter((field) => !LEFT_OUT.includes(pathOf(field))),
)
const LEADING = ['name', 'question', ...FIRST.map((path) => `${BASE}.${path}`), 'seeds']
/** Topic of the root keys that define how results are compared and computed. */
const COMPARING = 'comparing'
const COMPARED_BY = ['metric', 'reference', 'parallel']

/** A study as a form: its research question, the base configuration of all variants, repetitions and comparisons. */
export function StudyForm({
  draft,
  onChange,
  onTake,
  problems,
}: {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** Called when the user selects a registered dataset. */
  readonly onTake: (dataset: Dataset) => void
  readonly problems: Problems
}) {
  const t = useText(text)
  const contract = useContractText()
  const fields = useMemo(() => contract.study(FIELDS), [contract])
  const titleOf = (topic: string) => {
    if (topic === COMPARING) return t('new.comparing')
    const name = topic.split('.').at(-1) ?? ''
    const title = contract.topic(name) ?? words(name)
    return topic === name ? title : t('new.base', { topic: title })
  }
  return (
    <>
      <DatasetChoice config={draft.value[BASE]} onTake={onTake} />
      <ConfigForm
        fields={fields}
        first={LEADING}
        topics={{ of: topicOf, title: titleOf, open: ['folds', 'variants'] }}
        draft={draft}
        onChange={onChange}
        problems={problems}
      />
    </>
  )
}

/** Puts the study's own keys before the many keys of its base. */
function byTheStudy(fields: readonly Field[]): readonly Field[] {
  const isOfBase = ({ path }: Field) => path[0] === BASE
  return [...fields.filter((field) => !isOfBase(field)), ...fields.filter(isOfBase)]
}

function topicOf({ path }: Field): string {
  const [first = ''] = path
  if (first === BASE) return path.slice(0, 2).join('.')
  return COMPARED_BY.includes(first) ? COMPARING : first
}
