import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  more: ({ count }, f) => `再显示 ${f.number(count)} 个`,
  older: '此结果来自较早的版本。请重新评估模型。',
  'only.evaluation': '只有在表格上的评估才会测量；请在上方选择或开始一次评估。',
  none: ({ reason }) => `没有：${reason}。`,
  measure: '度量',
  class: '类别',
  cases: '病例',
  input: '输入',
  interval: '95 % 区间',

  'patients.title': '按患者',
  'patients.lead': ({ several, patients }) =>
    `${patients} 位患者中有 ${several} 位有多行。均值：对同一患者各行的预测取平均。`,
  'patients.max': '最大值：取阳性类别的最大概率。',
  'patients.label.any': '任一行为阳性则患者为阳性。',
  'patients.label.majority': '患者的标签为其各行中最常见的类别；并列时取在所有行中较少见的类别。',
  'patients.label.mean': '患者的数值为其各行的均值。',
  'patients.label.older': '均值不计入各行标签不同的患者；最大值中任一行为阳性则患者为阳性。',
  'patients.disagreeing': ({ count }) => `各行标签不同的患者：${count}。`,
  'patients.rows': ({ count }) => `${count} 行`,
  'patients.mean': ({ count }) => `${count} 位患者，均值`,
  'patients.largest': ({ count }) => `${count} 位患者，最大值`,

  'temperature.title': '温度',
  'temperature.certain': ({ value, cases }) => `${value} 最符合 ${cases} 个验证病例：模型在那里过于自信。`,
  'temperature.uncertain': ({ value, cases }) => `${value} 最符合 ${cases} 个验证病例：模型在那里不够自信。`,
  'temperature.interval': ({ low, high }) => `其 95 % 区间为 ${low} 至 ${high}。`,
  'temperature.applied': '上方的概率、阈值和指标已使用它。',
  'temperature.notApplied':
    '上方的概率、阈值和指标未使用它；选择“使用验证集拟合的温度”评估即可得到使用后的结果。',
  'temperature.fitted': '它正是在这些病例上拟合的：此处的改进大于新病例。',
  'temperature.before': '不使用',
  'temperature.after': '使用',

  'sets.title': '预测集合',
  'intervals.title': '预测区间',
  'sets.lac': '由概率足够大的所有类别组成的集合（LAC）',
  'sets.aps': '由合计概率足够大的最可能类别组成的集合（APS）',
  'sets.absolute_error': '以预测为中心、宽度相同的区间',
  'sets.promise': ({ share }) =>
    `在验证集上校准，使类似的新病例中有 ${share} 的真实值在其中。每位患者只计一次。`,
  'sets.missed': '在这些病例上未达到承诺，且超出偶然。',
  'sets.fitted': '它正是在这些病例上校准的：此处的覆盖率由构造达到。',
  'sets.all': '全部病例',
  'sets.coverage': '覆盖率',
  'sets.size': '集合的平均大小',
  'sets.single': '只有一个类别的集合',
  'sets.empty': '空集合',
  'sets.width': '区间宽度（标签的单位）',
  'sets.perClass': '承诺针对所有类别合计；单个类别的覆盖率可能更低。',

  'importance.title': '预测依据什么',
  'importance.absent': '没有测量。请重新评估并选择“预测依据什么”：在患者间交换各输入，并依次去掉图像和表格。',
  'importance.drop': ({ metric }) => `${metric} 的下降`,
  'importance.rise': ({ metric }) => `${metric} 的上升`,
  'importance.lead': ({ worse, repeats, cases }, f) =>
    `在患者间交换一个输入（${f.number(repeats)} 次）时${worse}，基于 ${cases} 个病例。它说明模型使用什么，而不是什么导致结局；若多列信息相同，只交换其中一列会低估它们合起来的作用。`,
  'importance.images': '图像',
  'importance.table': '表格',
  'importance.plot': '在 0 附近：与偶然无法区分',
  'ablation.title': '去掉图像，以及去掉表格',
  'ablation.without': '去掉',
  'ablation.moves': '概率的平均变动',
  'ablation.changes': '预测的平均变化',
  'ablation.changed': '类别改变的病例',
  'ablation.note':
    '去掉的部分按缺失读取。训练中从未缺失它的模型会读到其平均值：舍弃任何一种之前，请与只用图像和只用表格的模型比较。',

  'shift.title': '这些病例与训练病例',
  'shift.unknown': '检查点不知道其训练病例。',
  'shift.lead': ({ cases, trained }) =>
    `${cases} 个被评估病例的输入与 ${trained} 个训练病例的输入。标准化差异（SMD）没有单位；低于 0.1 为小。标记处为同样大小的样本中约 5% 仅因偶然会超过的值。`,
  'shift.large': ({ names }) =>
    `与训练明显不同（大于 0.25 且超出偶然，或没有共同的类别）：${names}。若病例与模型所学的都不同，模型是在外推。`,
  'shift.smd': 'SMD',
  'shift.chance': '偶然',
  'shift.drawn': 'SMD（绘至 1）',
  'shift.trained': '训练',
  'shift.evaluated': '这些病例',
  'shift.missing': '缺失：训练 → 此处',
  'shift.note': '说明',
  'shift.moments': ({ mean, sd }) => `${mean}（标准差 ${sd}）`,
  'shift.noValue': '被评估的表格没有值',
  'shift.unseen': ({ count }, f) => `${f.number(count)} 个病例的类别在训练中没有`,
  'shift.outcome': '结局',
  'shift.outcomeNote': ({ smd }) =>
    `标准化差异 ${smd}。阳性预测值、阴性预测值、AUPRC 和校准取决于各类别的比例；AUROC、灵敏度和特异度受影响较小。`,
  'shift.mean': '均值',

  'update.title': '用本地数据更新后',
  'update.absent': '只更新两个类别或一个数值的模型。',
  'update.note':
    '偏乐观：正是用这些病例拟合的。它说明重新拟合最多能改进多少，不是此模型的结果。更新需要另外的本地病例，并须在其他病例上检验。',
  'update.model': '模型',
  'update.original': '原样',
  'update.intercept': '更新截距',
  'update.intercept_and_slope': '更新截距和斜率',
  'update.column.intercept': '截距',
  'update.column.slope': '斜率',
}
