import type { ListedPanel } from '../../../components/panel-list'
import { reliability as text } from '../../../text/reliability'
import { useText } from '../../../text/use-text'
import type { EvaluationViewProps } from '../view-props'
import { DatasetShift } from './dataset-shift'
import { Importance } from './importance'
import { Patients } from './patients'
import { PredictionSets } from './prediction-sets'
import { Temperature } from './temperature'

/** Results of an evaluation in addition to its metrics. Panels that do not apply to a task are not shown. */
export function useReliability(props: EvaluationViewProps): readonly ListedPanel[] {
  const t = useText(text)
  const { classes, task } = props.document.result
  const sets = t(classes ? 'sets.title' : 'intervals.title')
  const panels: ListedPanel[] = [
    { id: 'patients', title: t('patients.title'), content: <Patients {...props} /> },
  ]
  if (task === 'classification')
    panels.push({ id: 'temperature', title: t('temperature.title'), content: <Temperature {...props} /> })
  if (task !== 'survival') panels.push({ id: 'sets', title: sets, content: <PredictionSets {...props} /> })
  return [
    ...panels,
    { id: 'importance', title: t('importance.title'), content: <Importance {...props} /> },
    { id: 'shift', title: t('shift.title'), content: <DatasetShift {...props} /> },
  ]
}
