package org.example.notes;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.util.Log;
import android.view.View;
import android.widget.TextView;

/** Shows the notes; a click opens one. */
public class ListActivity extends Activity {
    static final int EDIT = 3;
    private int opened;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(R.layout.list);
        String[] words = getResources().getStringArray(R.array.words);
        startService(new Intent(this, IndexService.class).putExtra("words", words.length));
        Log.i("notes", "list " + words[1] + " " + getIntent().getStringExtra("size"));
    }

    public void open(View button) {
        opened++;
        Intent intent = new Intent(this, EditActivity.class);
        intent.putExtra("note", new Note(opened, getString(R.string.label)));
        startActivityForResult(intent, EDIT);
    }

    @Override
    protected void onActivityResult(int request, int result, Intent data) {
        TextView title = (TextView) findViewById(R.id.title);
        title.setText("sum " + data.getIntExtra("sum", -1));
        Log.i("notes", "back " + request + " " + result + " " + title.getText());
    }
}
