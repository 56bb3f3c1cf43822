begin(makeScene, (game) => new (withPlayer(SceneScreen, game.pace))(game));
