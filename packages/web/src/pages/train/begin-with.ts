import { stringify } from 'yaml'
import { draftOf } from '../../forms/document'
import { setSetup } from './draft-store'

/** Starts a new training draft from this configuration. Other pages import this module on demand, because it includes the YAML library. */
export function beginWith(name: string, config: unknown): void {
  setSetup({ name, draft: draftOf(stringify(config)) })
}
