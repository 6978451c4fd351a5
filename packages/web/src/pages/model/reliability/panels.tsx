import type { ListedPanel } from '../../../components/panel-list'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import type { Evidence } from '../evidence'
import { Importance } from './importance'
import { Patients } from './patients'
import { PredictionSets } from './prediction-sets'
import { Transport } from './shift'
import { Temperature } from './temperature'

/** Results of an evaluation in addition to its metrics. Panels that do not apply to a task are not shown. */
export function useReliability(evidence: Evidence): readonly ListedPanel[] {
  const t = useText(text)
  const { classes, task } = evidence.document.result
  const sets = t(classes ? 'sets.title' : 'intervals.title')
  const panels: ListedPanel[] = [
    { id: 'patients', title: t('patients.title'), content: <Patients {...evidence} /> },
  ]
  if (task === 'classification')
    panels.push({ id: 'temperature', title: t('temperature.title'), content: <Temperature {...evidence} /> })
  if (task !== 'survival') panels.push({ id: 'sets', title: sets, content: <PredictionSets {...evidence} /> })
  return [
    ...panels,
    { id: 'importance', title: t('importance.title'), content: <Importance {...evidence} /> },
    { id: 'shift', title: t('shift.title'), content: <Transport {...evidence} /> },
  ]
}
