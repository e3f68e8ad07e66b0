// In Japanese: the rules of a table, for people. The words of Safe are those of its document.

export const words = {
  'rules.seconds': '{seconds}秒',
  'rules.stakes': '賭け金',
  'rules.step': '単位',
  'rules.seats': '席',
  'rules.bet_time': '賭ける時間',
  'rules.turn_time': '選ぶ時間',
  'rules.bank': 'タイムバンク（その後）',
  'rules.bank_is': '{seconds}秒。使った分は1ハンドごとに{more}秒戻ります',
  'rules.pause': 'ラウンド後の間隔',
  'rules.away': '離席したプレイヤーの席',
  'rules.away_is': '空席を待つ人がいれば{seconds}秒後、いなければ30分後に空きます',
  'rules.crash': 'サービスが止まったとき',
  'rules.crash_rollback': 'ラウンドは無効、賭けはすべて戻ります',
  'rules.crash_resume': 'ラウンドはそのまま続きます',
  'rules.edge': '最善のプレイで、ハウスは平均して賭け金の{percent}%を得ます。',
  'rules.edge_player': '最善のプレイで、プレイヤーは平均して賭け金の{percent}%を得ます。',
  'rules.safe_goal': '全員が{amount}を払います。最後まで残ったプレイヤーがすべてを受け取ります。',
  'rules.safe_deal':
    '各ラウンドで生存プレイヤーに2枚ずつ表向きで配ります。J、Q、Kは10、Aは1か11です。合計17以上21以下がセーフ、22以上はバーストで失格です。',
  'rules.safe_hit': 'ヒットは1枚引きます。スタンドはセーフハンドのときにでき、そのラウンドを終えます。21ピッタリのハンドはそのまま終わります。',
  'rules.safe_change':
    'チェンジは自分のカードを1枚捨てて1枚引きます。ヒットで見せられたカードを断ることもできます（ヒットチェンジ）。どちらか1つを各ラウンドで1度だけです。',
  'rules.safe_change_declared':
    'チェンジは自分のカードを1枚捨てて1枚引きます。ヒットの前に次のカードを断ることもできます（ヒットチェンジ）。どちらか1つを各ラウンドで1度だけです。',
  'rules.safe_must': '16以下なら、ヒット、チェンジ、フェイスダウンのどれかを続けます。',
  'rules.safe_must_pass': '16以下なら、ヒット、チェンジ、フェイスダウンのどれかをします。ヒットの後はパスできます。',
  'rules.safe_down':
    'フェイスダウンは1枚を裏向きのまま引きます。どのプレイヤーも見ません。そのハンドは閉じて残り、次のラウンドで別のハンドが配られます。',
  'rules.safe_on':
    'フェイスダウンハンドを持たないプレイヤーがセーフハンドでスタンドすると、全員が次のラウンドに進み、フェイスダウンハンドは閉じたままです。',
  'rules.safe_open':
    'フェイスダウンハンドを持たないプレイヤーが全員失格すると、古いフェイスダウンハンドからオープンし、持たないプレイヤーが生まれるまで続けます。バーストした持ち主は失格です。',
  'rules.safe_own':
    '自分の番に自分のフェイスダウンハンドをオープンできます。自分のハンドが21ピッタリになると、1組を開かずに捨てられます。',
  'rules.safe_pile': '山がなくなると、表向きのカードをすべて集め、生存プレイヤー全員のシードでシャッフルします。',
  'rules.safe_last':
    'フェイスダウンハンドを持つ1人が残ったとき、すべてバーストしなければその人の勝ちです。バーストすれば、持たずに最後に失格した人の勝ちです。',
  'rules.safe_clock': '時間切れのとき、セーフハンドならスタンド、そうでなければパス、できなければヒットになります。',
  'rules.blackjack_goal': '21を超えずに、ディーラーより21に近づけます。J、Q、Kは10、Aは1か11です。Aを11と数える合計をソフトと呼びます。',
  'rules.blackjack_box': '賭けるのは、自分の席と同じ番号のボックスです。',
  'rules.blackjack_boxes': 'あなたのボックスは席と同じ番号です。ほかに空席のボックスにも賭けられ、合わせて{boxes}か所までです。',
  'rules.blackjack_decks': 'デッキ数：{decks}。',
  'rules.blackjack_split': 'ペアはスプリットでき、最大{hands}ハンドです。',
  'rules.baccarat_goal': '9に近いハンドに賭けます。10、J、Q、Kは0で、合計の1の位を数えます。',
  'rules.baccarat_third': '3枚目を引くかはカードで決まり、誰も選びません。',
  'rules.baccarat_decks': 'デッキ数：{decks}。',
  'rules.baccarat_edge': '賭けのうちハウスが平均して得る分：プレイヤー{player}%、バンカー{banker}%、タイ{tie}%。',
  'rules.dragon_tiger_goal': 'ドラゴンとタイガーに1枚ずつ配り、高いほうが1対1で勝ちます。Aが最も低く、Kが最も高くなります。',
  'rules.dragon_tiger_tie':
    '数字が同じならタイは{tie}対1、スートも同じならスーテッドタイは{suited}対1。ドラゴンとタイガーへの賭けは半分を失います。',
  'rules.dragon_tiger_decks': 'デッキ数：{decks}。',
  'rules.dragon_tiger_edge':
    '賭けのうちハウスが平均して得る分：ドラゴンとタイガー{side}%、タイ{tie}%、スーテッドタイ{suited}%。',
  'rules.sic_bo_goal': '小は合計4～10、大は合計11～17で、{even}対1です。3つとも同じ目ならどちらも負けです。',
  'rules.sic_bo_edge': '大や小への賭けで、ハウスは平均して{percent}%を得ます。ほかの賭けの多くはそれより多くなります。',
  'rules.roulette_goal': '数字は{straight}対1、赤か黒は{even}対1です。0なら赤や黒はすべて負けです。',
  'rules.roulette_edge': '数字への賭けで、ハウスは平均して賭け金の{percent}%を得ます。',
  'rules.poker_holdem': '自分の2枚とボードの5枚、合わせて7枚のうち最も強い5枚で競います。',
  'rules.poker_omaha': '自分の4枚から2枚とボードの5枚から3枚、最も強い5枚で競います。',
  'rules.poker_blinds': 'ブラインドは{small}と{big}です。',
  'rules.poker_buy_in': '{least}～{most}を持って着席します。',
};
