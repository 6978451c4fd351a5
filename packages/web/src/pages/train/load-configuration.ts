import { stringify } from 'yaml'
import { parseDraft } from '../../forms/draft'
import { setTrainingDraft } from './draft-store'

/** Starts a new training draft from this configuration. Other pages import this module on demand, because it includes the YAML library. */
export function loadConfiguration(name: string, config: unknown): void {
  setTrainingDraft({ name, draft: parseDraft(stringify(config)) })
}
