import type { Dataset } from '@medloom/contracts'
import schema from '@medloom/contracts/study.schema.json'
import { useMemo } from 'react'
import { ConfigForm } from '../../forms/config-form'
import type { Draft } from '../../forms/draft'
import { humanize } from '../../forms/field-view'
import type { Problems } from '../../forms/problems'
import { type Field, fieldsOf, leavesOf, pathOf, type Schema } from '../../forms/schema'
import { useContractText } from '../../text/contracts'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { COMMON_SETTINGS } from '../train/common-settings'
import { DatasetChoice } from '../train/dataset-choice'
import { BASE, SET_BY_STUDY } from '../train/study-document'

const OMITTED = SET_BY_STUDY.map((key) => `${BASE}.${key}`)
const FIELDS = studyKeysFirst(
  leavesOf(fieldsOf(schema as Schema)).filter((field) => !OMITTED.includes(pathOf(field))),
)
const LEADING = ['name', 'question', ...COMMON_SETTINGS.map((path) => `${BASE}.${path}`), 'seeds']
/** Topic of the root keys that define how results are compared and computed. */
const COMPARISON = 'comparing'
const COMPARISON_KEYS = ['metric', 'reference', 'parallel']

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
    if (topic === COMPARISON) return t('new.comparing')
    const name = topic.split('.').at(-1) ?? ''
    const title = contract.topic(name) ?? humanize(name)
    return topic === name ? title : t('new.base', { topic: title })
  }
  return (
    <>
      <DatasetChoice config={draft.value[BASE]} onTake={onTake} />
      <ConfigForm
        fields={fields}
        first={LEADING}
        topics={{ topicOf, title: titleOf, open: ['folds', 'variants'] }}
        draft={draft}
        onChange={onChange}
        problems={problems}
      />
    </>
  )
}

/** Puts the study's own keys before the many keys of its base. */
function studyKeysFirst(fields: readonly Field[]): readonly Field[] {
  const isOfBase = ({ path }: Field) => path[0] === BASE
  return [...fields.filter((field) => !isOfBase(field)), ...fields.filter(isOfBase)]
}

function topicOf({ path }: Field): string {
  const [first = ''] = path
  if (first === BASE) return path.slice(0, 2).join('.')
  return COMPARISON_KEYS.includes(first) ? COMPARISON : first
}
