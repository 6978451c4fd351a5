import { isCollection, parseDocument } from 'yaml'

/** Initial values that suffice for a first result; the user changes them. */
const SEEDS_AND_FOLDS = 'seeds: 3\nfolds:\n  k: 5\n'

/** Key of the configuration shared by all variants of a study. */
export const BASE = 'config'
/** Configuration keys that a study replaces with its own keys. */
export const SET_BY_STUDY = ['training.seed', 'data.fold', 'baselines']

/** Text of a study with this base configuration and its comments. The study sets seed, fold and baselines itself. */
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
