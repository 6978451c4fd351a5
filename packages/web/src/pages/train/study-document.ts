import { isCollection, parseDocument } from 'yaml'

/** Enough for a first answer; a person changes them. */
const SEEDS_AND_FOLDS = 'seeds: 3\nfolds:\n  k: 5\n'

/** Where a study has the configuration that all its variants start from. */
export const BASE = 'config'
/** Keys of a configuration in whose place a study has keys of its own. */
export const SET_BY_STUDY = ['training.seed', 'data.fold', 'baselines']

/** The document of a study with this base, whose comments stay. Seed, fold and baselines are the study's to set. */
export function studyOf(text: string, name: string): string {
  const document = parseDocument(SEEDS_AND_FOLDS)
  if (name.trim() !== '') document.set('name', name.trim())
  const base = parseDocument(text)
  if (!isCollection(base.contents)) return document.toString()
  if (base.has('baselines')) document.set('baselines', base.get('baselines', true))
  for (const path of SET_BY_STUDY.map((key) => key.split('.'))) if (base.hasIn(path)) base.deleteIn(path)
  document.set(BASE, base.contents)
  return document.toString()
}
