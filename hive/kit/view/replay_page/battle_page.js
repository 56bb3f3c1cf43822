begin(makeGame, (game) => new (withPlayer(BattleScreen, 10))(game));
