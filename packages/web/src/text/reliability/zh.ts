import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  more: ({ count }, f) => `再显示 ${f.number(count)} 个`,
  older: '此结果由旧版本生成。请重新评估模型。',
  'only.evaluation': '只有在表格上的评估才包含此项。请在上方选择一个评估，或开始新的评估。',
  none: ({ reason }) => `无法提供：${reason}。`,
  measure: '度量',
  class: '类别',
  cases: '病例',
  input: '输入',
  interval: '95% 置信区间',

  'patients.title': '按患者的结果',
  'patients.lead': ({ several, patients }, f) =>
    `${f.number(patients)} 名患者中有 ${f.number(several)} 名有多行数据。均值：对同一患者各行的预测取平均。`,
  'patients.max': '最大值：取阳性类别的最大概率。',
  'patients.label.any': '任一行为阳性，则患者为阳性。',
  'patients.label.majority': '患者的标签是其各行中最常见的类别；并列时取在所有行中较少见的类别。',
  'patients.label.mean': '患者的值是其各行的均值。',
  'patients.label.older': '均值不包括各行标签不同的患者。取最大值时，任一行为阳性则患者为阳性。',
  'patients.disagreeing': ({ count }) => `各行标签不同的患者：${count} 名。`,
  'patients.rows': ({ count }, f) => `${f.number(count)} 行`,
  'patients.mean': ({ count }, f) => `${f.number(count)} 名患者，均值`,
  'patients.largest': ({ count }, f) => `${f.number(count)} 名患者，最大值`,

  'temperature.title': '温度缩放',
  'temperature.certain': ({ value, cases }) =>
    `温度 ${value} 对 ${cases} 个验证病例拟合最佳：模型对这些病例过于自信。`,
  'temperature.uncertain': ({ value, cases }) =>
    `温度 ${value} 对 ${cases} 个验证病例拟合最佳：模型对这些病例不够自信。`,
  'temperature.interval': ({ low, high }) => `95% 置信区间：${low} 至 ${high}。`,
  'temperature.applied': '上方的概率、阈值和指标已应用该温度。',
  'temperature.notApplied':
    '上方的概率、阈值和指标未应用该温度。如需应用，请选择“应用在验证集上拟合的温度”重新评估。',
  'temperature.fitted': '该温度就是在这些病例上拟合的，因此改进比在新病例上更大。',
  'temperature.before': '应用前',
  'temperature.after': '应用后',

  'sets.title': '预测集合',
  'intervals.title': '预测区间',
  'sets.lac': '预测集合（LAC）',
  'sets.aps': '预测集合（APS）',
  'sets.absolute_error': '宽度固定的预测区间（绝对误差）',
  'sets.promise': ({ share }) =>
    `在验证集上校准，使 ${share} 的类似新病例的真实标签包含在内。每名患者只计一次。`,
  'sets.missed': '覆盖率显著低于目标。',
  'sets.fitted': '这些病例就是用于校准的病例，因此覆盖率必然达到目标。',
  'sets.all': '全部病例',
  'sets.coverage': '覆盖率',
  'sets.size': '集合的平均大小',
  'sets.single': '只有一个类别的集合',
  'sets.empty': '空集合',
  'sets.width': '区间宽度（以标签的单位计）',
  'sets.perClass': '目标针对所有类别合计；单个类别的覆盖率可能更低。',

  'importance.title': '输入重要性',
  'importance.absent':
    '未测量输入重要性。请选择“输入重要性”重新评估：各输入会在患者之间置换，图像和表格会依次移除。',
  'importance.drop': ({ metric }) => `${metric} 的下降`,
  'importance.rise': ({ metric }) => `${metric} 的上升`,
  'importance.lead': ({ worse, repeats, cases }, f) =>
    `在患者之间置换一个输入时${worse}（重复 ${f.number(repeats)} 次，${f.number(cases)} 个病例）。它说明此模型使用什么，而不是什么导致结局。如果多列相关，只置换其中一列会低估它们的共同作用。`,
  'importance.images': '图像',
  'importance.table': '表格',
  'importance.plot': '区间包含 0 表示作用不显著。',
  'ablation.title': '移除图像，以及移除表格',
  'ablation.without': '移除的输入',
  'ablation.moves': '概率的平均变化',
  'ablation.changes': '预测的平均变化',
  'ablation.changed': '预测类别改变的病例',
  'ablation.note':
    '移除的输入按缺失读取。训练时从未有过缺失输入的模型会改读其平均值。舍弃图像或表格之前，请与只用其中一种训练的模型比较。',

  'shift.title': '训练病例与这些病例之间的偏移',
  'shift.unknown': '检查点没有记录其训练病例。',
  'shift.lead': ({ cases, trained }, f) =>
    `${f.number(cases)} 个被评估病例的输入与 ${f.number(trained)} 个训练病例的输入相比。标准化均数差（SMD）没有单位；小于 0.1 为小。标记处的值，同样大小的样本中约 5% 会因偶然超过。`,
  'shift.large': ({ names }) =>
    `偏移较大（SMD 大于 0.25 且超过偶然水平，或没有共同的类别）：${names}。对于与训练病例不同的病例，模型是在外推。`,
  'shift.smd': 'SMD',
  'shift.chance': '偶然水平',
  'shift.intensity': '图像灰度',
  'shift.drawn': 'SMD（图，至 1）',
  'shift.trained': '训练',
  'shift.evaluated': '这些病例',
  'shift.missing': '缺失：训练 → 这些病例',
  'shift.note': '说明',
  'shift.moments': ({ mean, sd }) => `${mean}（标准差 ${sd}）`,
  'shift.noValue': '被评估的表格中该列全部缺失',
  'shift.unseen': ({ count }, f) => `${f.number(count)} 个病例的类别在训练中未出现过`,
  'shift.outcome': '结局',
  'shift.outcomeNote': ({ smd }) =>
    `标准化均数差 ${smd}。阳性预测值、阴性预测值、AUPRC 和校准取决于各类别的占比；AUROC、灵敏度和特异度受其影响较小。`,
  'shift.mean': '均值',

  'update.title': '用本地数据更新模型',
  'update.absent': '只有预测两个类别或一个数值的模型可以更新。',
  'update.note':
    '偏乐观：更新是在这些病例上拟合的。它显示重新拟合最多能带来的改进，不是此模型的结果。真正的更新需要另外的本地病例，并在其他病例上检验。',
  'update.model': '模型',
  'update.original': '原模型',
  'update.intercept': '更新截距',
  'update.intercept_and_slope': '更新截距和斜率',
  'update.column.intercept': '截距',
  'update.column.slope': '斜率',
}
