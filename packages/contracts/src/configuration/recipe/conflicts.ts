import type { z } from 'zod'
import { type Phrase, phrase } from '../../phrases/index.js'
import type { RecipePatient, RecipeRows, RecipeSplit } from './cases.js'
import type { RecipeImages } from './files.js'
import type { RecipeLabel } from './label.js'
import { placeholdersOf } from './pattern.js'

interface Parts {
  images?: readonly z.output<typeof RecipeImages>[] | undefined
  patient?: z.output<typeof RecipePatient> | undefined
  label?: z.output<typeof RecipeLabel> | undefined
  split?: z.output<typeof RecipeSplit> | undefined
  rows?: z.output<typeof RecipeRows> | undefined
}
interface Conflict {
  path: PropertyKey[]
  message: Phrase
  hint: Phrase
}

const MEANINGS = {
  label: 'also_label_column',
  patient: 'also_patient_column',
  time: 'also_time_column',
} as const
type Meaning = keyof typeof MEANINGS

/** Parts of a recipe that contradict each other: columns with two meanings, and rules that do not fit the label. */
export function conflictsOf({ images = [], patient, label, split, rows }: Parts): Conflict[] {
  const found: Conflict[] = []
  const labels = new Set(
    [label?.column, label?.name, label?.time, label?.event, label?.one_hot, label?.findings].flat(),
  )
  const person = patient?.column ?? placeholdersOf(patient?.pattern ?? '')[0]
  const compare = (path: PropertyKey[], column: string | undefined, others: [Meaning, boolean][]) => {
    for (const [other, same] of others)
      if (column !== undefined && same)
        found.push({
          path,
          message: phrase(MEANINGS[other], { column }),
          hint: phrase('name_another_column'),
        })
  }
  images.forEach(({ column }, index) => {
    const others: [Meaning, boolean][] = [
      ['label', labels.has(column)],
      ['patient', column === person],
    ]
    compare(['images', index, 'column'], column, others)
  })
  if (split?.files === undefined)
    compare(['split', 'column'], split?.column, [
      ['label', labels.has(split?.column)],
      ['patient', split?.column === person],
    ])
  compare(['patient', patient?.column === undefined ? 'pattern' : 'column'], person, [
    ['label', labels.has(person)],
  ])
  compare(['label', 'event'], label?.event, [['time', label?.event === label?.time]])
  if (label?.time !== undefined && (rows?.rule === 'any' || rows?.rule === 'majority'))
    found.push({
      path: ['rows', 'rule'],
      message: phrase('rule_divides_outcome', { rule: rows.rule }),
      hint: phrase('use_first_or_last'),
    })
  return found
}
